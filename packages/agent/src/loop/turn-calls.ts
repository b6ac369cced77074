import type { Catalog, Entry, Failure, Reply, User } from '@millrace/kernel';
import { jsonSchema, type ToolSet, tool } from 'ai';
import type { StoredCall } from '../conversations/conversations.ts';
import type { TurnJournal } from '../conversations/turn-journal.ts';
import type { Listener } from '../events.ts';
import { FIND_TOOLS, type ShownTools } from './shown-tools.ts';

/** The result of a call, in the AI SDK's format. */
export type ToolOutput = { type: 'json' | 'error-json'; value: unknown } | { type: 'text' | 'error-text'; value: string };

export interface TurnCallsOptions {
  catalog: Pick<Catalog, 'call' | 'entries' | 'find' | 'toolsFor' | 'program'>;
  user: User;
  messageId: string;
  journal: TurnJournal;
  emit: Listener;
  signal: AbortSignal;
  shown: ShownTools;
  /** Whether the model is given replies of any size. */
  wholeReplies: boolean;
}

const MAX_OUTPUT = 40_000;
const MOST_REPEATS = 2;
const FIND_TOOLS_INPUT = {
  type: 'object',
  properties: { request: { type: 'string', description: 'What you need to do, in one sentence' } },
  required: ['request'],
} as const;
const HELD: ToolOutput = {
  type: 'json',
  value: {
    success: false,
    held: true,
    note: 'Not done yet: this would delete several things. Ask the person once, naming them all; after a yes, make the same calls again.',
  },
};

/** The tools of the catalog for one turn: called as its user, logged under its message, each journaled before it starts. */
export class TurnCalls {
  readonly #options: TurnCallsOptions;

  constructor(options: TurnCallsOptions) {
    this.#options = options;
  }

  tools(): ToolSet {
    const further = this.#tool('Find tools that are not listed here. They can be called from the next step on.', FIND_TOOLS_INPUT);
    const listed = this.#options.catalog.entries().map((entry) => [entry.tool.name, this.#tool(entry.tool.description, entry.inputSchema)]);
    return { ...Object.fromEntries(listed), [FIND_TOOLS]: further };
  }

  #tool(description: string, schema: object) {
    return tool({
      description,
      inputSchema: jsonSchema(schema),
      // The catalog validates, so that a refused call is recorded like any other.
      execute: (_input: unknown, { toolCallId }) => this.#execute(toolCallId),
      toModelOutput: ({ output }) => output as never,
    });
  }

  async #execute(callId: string): Promise<ToolOutput> {
    const call = this.#options.journal.calls.findLast((candidate) => candidate.callId === callId);
    if (!call) throw new Error('a call that belongs to no step');
    return this.run(call);
  }

  hold(call: StoredCall): void {
    this.#options.journal.finish(call, 'held', HELD);
  }

  /** Makes a decided call; returns the result for the model. */
  async run(call: StoredCall): Promise<ToolOutput> {
    const { catalog, journal, emit } = this.#options;
    const entry = catalog.find(call.tool);
    emit({ type: 'call', id: call.id, tool: call.tool, title: entry?.tool.annotations.title ?? call.tool, parameters: call.parameters });
    if (call.status === 'held') return this.#told(call, 'held', HELD);
    if (call.tool === FIND_TOOLS) return this.#told(call, 'success', await this.#find(call));
    if (this.#repeats(call) >= MOST_REPEATS) return this.#told(call, 'failure', enough(call));
    await journal.start(call, entry?.tool.access !== 'read');
    const reply = await this.#call(call);
    // Nobody can tell how far a cancelled call got: it stays started.
    if (reply.failure?.code === 'cancelled' && this.#options.signal.aborted) throw reply.failure;
    return this.#told(call, reply.isError ? 'failure' : 'success', this.#outputOf(entry, reply));
  }

  /** Changes nothing, so an interrupted turn can simply ask again. */
  async #find({ parameters }: StoredCall): Promise<ToolOutput> {
    const { request } = (parameters ?? {}) as { request?: unknown };
    const found = await this.#options.shown.find(String(request ?? ''), this.#options.signal);
    return { type: 'json', value: { found: found.map(({ tool: { name, description } }) => ({ name, description })) } };
  }

  /** A call that could not be parsed: the catalog refuses it, so that it is recorded. */
  async refuse(call: StoredCall, parameters: unknown): Promise<void> {
    const reply = await this.#call({ ...call, parameters });
    this.#told(call, 'failure', this.#outputOf(this.#options.catalog.find(call.tool), reply));
  }

  #call({ tool: name, parameters }: StoredCall): Promise<Reply> {
    const { catalog, user, messageId, signal } = this.#options;
    return catalog.call(name, parameters, { credentials: { kind: 'identified', user }, messageId, signal });
  }

  #told(call: StoredCall, status: StoredCall['status'], output: ToolOutput): ToolOutput {
    this.#options.journal.finish(call, status, output);
    this.#options.emit({ type: 'result', id: call.id, tool: call.tool, status, output: output.value });
    return output;
  }

  #outputOf(entry: Entry | undefined, reply: Reply): ToolOutput {
    const { catalog, wholeReplies } = this.#options;
    if (reply.isError) return { type: 'error-json', value: failureForModel(entry, reply, catalog.program) };
    if (reply.text.length > MAX_OUTPUT && !wholeReplies) {
      const head = reply.text.slice(0, MAX_OUTPUT).toWellFormed();
      return { type: 'text', value: `${head}… (cut off here; ${reply.text.length} characters in all: ask for less)` };
    }
    return isJson(reply) ? { type: 'json', value: reply.structured } : { type: 'text', value: reply.text };
  }

  #repeats(call: StoredCall): number {
    const wanted = JSON.stringify(call.parameters);
    return this.#options.journal.calls.filter(
      (other) =>
        other.step < call.step && other.tool === call.tool && other.status === 'success' && JSON.stringify(other.parameters) === wanted,
    ).length;
  }
}

function enough({ tool: name }: StoredCall): ToolOutput {
  const value = {
    success: false,
    note: `${name} was already called with exactly these arguments in this turn. Use that result, or stop.`,
  };
  return { type: 'error-json', value };
}

function isJson({ text, structured }: Reply): boolean {
  return structured !== undefined && /^[[{]/.test(text);
}

/** Failures whose message helps a model fix its call; for all others it gets only the sentence. */
const HELPFUL = new Set<Failure['code']>(['invalid_input', 'not_found', 'unknown_tool', 'locked', 'answer_needed', 'conflict']);

/** A failed call as a friendly sentence, with what to do next; never the raw error. */
function apologize(entry: Entry | undefined, reply: Reply, program: string): string {
  const { user_message } = (reply.structured ?? {}) as { user_message?: unknown };
  const trouble = typeof user_message === 'string' ? user_message : troubleWith(entry);
  const next = whatNext(entry, reply.failure, program);
  return next === '' || trouble.includes(next) ? trouble : `${trouble} ${next}`;
}

function troubleWith(entry: Entry | undefined): string {
  if (!entry) return 'I tried to use a tool that does not exist.';
  return `I'm having trouble with "${entry.tool.annotations.title}". Please try again.`;
}

function whatNext(entry: Entry | undefined, failure: Failure | undefined, program: string): string {
  switch (failure?.code) {
    case 'not_found':
      return entry?.toolset.whatThereIs ?? '';
    case 'storage':
      return `If it keeps happening, the command "${program} doctor" shows what is wrong.`;
    case 'forbidden':
    case 'internal':
    case 'unavailable':
    case 'upstream':
    case 'locked':
      return failure.fix ? `${failure.fix.instruction}.` : '';
    case 'rate_limited': {
      const waitMs = failure.details.retryAfterMs;
      return waitMs !== undefined ? `Try again in ${Math.max(1, Math.ceil(waitMs / 1000))} seconds.` : '';
    }
    default:
      return '';
  }
}

/** What the model gets for a failed call. */
function failureForModel(entry: Entry | undefined, reply: Reply, program: string): Record<string, unknown> {
  const tell_the_person = apologize(entry, reply, program);
  const code = reply.failure?.code;
  if (code === undefined || !HELPFUL.has(code) || reply.structured === null || typeof reply.structured !== 'object') {
    return { success: false, tell_the_person };
  }
  return { ...(Array.isArray(reply.structured) ? { reply: reply.structured } : reply.structured), tell_the_person };
}
