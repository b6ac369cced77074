import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, type Context, Failure, type Log, slugOf } from '@millrace/kernel';
import type { Chatflow } from './client/chatflow.ts';
import type { Flowise } from './client/flowise.ts';
import { readNode, savedFlow } from './flow/flow.ts';
import { isStickyNote } from './nodes/definition.ts';

const FRESH_MS = 60_000;
/** How long somebody waits for the first list; later ones are given the last list while a new one is fetched. */
const FIRST_WAIT_MS = 400;
const LONGEST_READ_FLOW = 200_000;
const MOST_LABELS = 12;

/** The chatflows as things that a request can find and run. Cached and renewed in the background: it never blocks and never fails. */
export class ChatflowContexts {
  readonly #options: { flowise: Flowise; clock: Clock; log: Log; requireDeployed: boolean };
  #contexts: Context[] = [];
  #at = Number.NEGATIVE_INFINITY;
  #renewal: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(options: { flowise: Flowise; clock: Clock; log: Log; requireDeployed: boolean }) {
    this.#options = options;
  }

  async list(): Promise<Context[]> {
    const now = this.#options.clock.now().getTime();
    if (now - this.#at < FRESH_MS) return this.#contexts;
    const first = this.#at === Number.NEGATIVE_INFINITY;
    this.#renewal ??= this.#renew(now).finally(() => {
      this.#renewal = undefined;
    });
    if (first) await Promise.race([this.#renewal, sleep(FIRST_WAIT_MS, undefined, { ref: false })]);
    return this.#contexts;
  }

  async #renew(now: number): Promise<void> {
    const { flowise, log, requireDeployed } = this.#options;
    try {
      const chatflows = await flowise.list({ signal: this.#stop.signal });
      this.#contexts = await contextsOf(chatflows.filter((chatflow) => chatflow.deployed || !requireDeployed));
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        log[error instanceof Failure ? 'warn' : 'error']({ err: error }, 'could not list the chatflows as contexts');
      }
    }
    this.#at = now;
  }

  close(): void {
    this.#stop.abort();
  }
}

async function contextsOf(chatflows: Chatflow[]): Promise<Context[]> {
  const taken = new Set<string>();
  const contexts: Context[] = [];
  for (const chatflow of chatflows) {
    contexts.push(contextOf(chatflow, freeSlug(chatflow, taken)));
    // Reading a flow takes a moment: others get their turn in between.
    if (contexts.length % 10 === 0) await sleep(0);
  }
  return contexts;
}

function contextOf(chatflow: Chatflow, slug: string): Context {
  const flow = chatflow.flowData.length <= LONGEST_READ_FLOW ? savedFlow(chatflow.flowData) : undefined;
  const nodes = (flow?.nodes ?? []).map(readNode).filter((node) => !isStickyNote(node.name));
  const labels = [...new Set(nodes.map((node) => node.label.slice(0, 60)))].slice(0, MOST_LABELS);
  const kind = chatflow.type === 'AGENTFLOW' || chatflow.type === 'MULTIAGENT' ? 'agent flow' : 'chatflow';
  const name = chatflow.name.slice(0, 200);
  return {
    uri: `agent://flowise/${slug}`,
    type: 'agent',
    name,
    description: `Flowise ${kind} "${name}"${labels.length > 0 ? `, made of ${labels.join(', ')}` : ''}`,
    tags: ['flowise', chatflow.type.toLowerCase(), ...(chatflow.category?.split(';').filter(Boolean) ?? [])],
    complexity: nodes.length <= 3 ? 'simple' : nodes.length <= 8 ? 'moderate' : 'complex',
    examples: [name],
    variables: { required: ['question'], optional: ['session_id'] },
    ...(chatflow.updatedDate && { updatedAt: new Date(chatflow.updatedDate) }),
    action: { tool: 'run_prediction', parameters: { chatflow_id: chatflow.id } },
  };
}

function freeSlug({ id, name }: Chatflow, taken: Set<string>): string {
  const plain = slugOf(name);
  const short = slugOf(id, 8) || 'x';
  let slug = plain || `flow-${short}`;
  if (taken.has(slug)) slug = `${slug}-${short}`;
  for (let number = 2; taken.has(slug); number++) slug = `${plain || 'flow'}-${short}-${number}`;
  taken.add(slug);
  return slug;
}
