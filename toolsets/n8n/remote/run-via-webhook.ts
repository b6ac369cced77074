import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { OpenedPack } from '../catalogue/types/opened-pack.ts';
import type { Connections, Workflow, WorkflowNode } from '../document/workflow/model.ts';
import type { Item, RunInput } from '../engine/engine.ts';
import { chosenTrigger, pinnedItems } from '../engine/run-input.ts';
import type { InstanceClient } from './client.ts';
import { ignoreFailures } from './instance.ts';
import { created, finished, type InstanceRunner, isTrigger, POLL_MS, removed } from './test-copy.ts';

const REGISTERED_MS = 10_000;
const DEACTIVATED_MS = 10_000;

/** Through the public API alone: calls a temporary copy whose trigger is a webhook that only we know, then deletes it. */
export const webhookRunner: InstanceRunner = {
  name: 'webhook',
  title: 'a temporary webhook',

  async run({ client, workflow, input, pack, limit, signal }) {
    const path = `millrace-test-${randomUUID()}`;
    const copy = webhookCopy(workflow, input, path, pack);
    const remote = await created(client, copy.workflow, signal);
    try {
      await client.setActive(remote.id, true, limit);
      await called(client, path, copy.items, limit);
      const execution = await finished(async () => (await client.executions(remote.id, 1, true, limit))[0], limit);
      return { execution, helper: copy.helper };
    } finally {
      const soon = AbortSignal.timeout(DEACTIVATED_MS);
      await client.setActive(remote.id, false, soon).catch(ignoreFailures(soon));
      await removed(client, remote.id);
    }
  },
};

/** A webhook is not there yet when its workflow has just been activated. */
async function called({ instance, url }: InstanceClient, path: string, items: Item[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + REGISTERED_MS;
  for (;;) {
    const { ok, status } = await instance.send({ method: 'POST', path: `/webhook/${path}`, body: { items }, signal });
    if (ok) return;
    if (status !== 404 || performance.now() > deadline) {
      throw new Failure('upstream', `The n8n instance at ${url} did not take the test call (status ${status})`, {
        details: { url, status },
      });
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

interface WebhookCopy {
  workflow: Workflow;
  items: Item[];
  /** The name of the webhook node, which only the copy has. */
  helper: string;
}

const CODE = 'n8n-nodes-base.code';

/** A copy of a workflow that a webhook starts: the trigger hands on the items of the call, and pinned nodes return their pins. */
function webhookCopy(workflow: Workflow, input: RunInput, path: string, pack: OpenedPack | undefined): WebhookCopy {
  const isTriggerHere = (node: WorkflowNode) => node.disabled !== true && isTrigger(node, pack);
  const pinned = pinnedItems(workflow, input, workflow.nodes);
  const trigger = chosenTrigger(workflow.nodes.filter(isTriggerHere), workflow, input, pinned);
  const helper = freeName('Millrace test', workflow);
  const items = input.items ?? (trigger && pinned[trigger.name]) ?? [{ json: {} }];
  const changed = workflow.nodes
    .filter((node) => node === trigger || !isTriggerHere(node))
    .map((node) => {
      if (node === trigger) return script(node, 'return $json.body.items;');
      const pins = pinned[node.name];
      return pins ? script(node, `return ${JSON.stringify(pins)};`) : node;
    });
  const replaced = new Set(Object.keys(pinned));
  const nodes = used(changed, workflow, replaced);
  const kept = new Set(nodes.map((node) => node.name));
  const connections = Object.fromEntries(
    Object.entries(workflow.connections).flatMap(([name, outputs]) => (kept.has(name) ? [[name, withTargets(outputs, kept)]] : [])),
  );
  const first = trigger?.name ?? nodes[0]?.name ?? helper;
  return {
    workflow: {
      ...workflow,
      name: `${workflow.name ?? 'Workflow'} (Millrace test)`,
      nodes: [webhook(helper, path), ...nodes],
      connections: { ...connections, [helper]: { main: [[{ node: first, type: 'main', index: 0 }]] } },
      settings: { ...workflow.settings, saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' },
      pinData: {},
    },
    items,
    helper,
  };
}

/** Without the sub-nodes of nodes that return their pins: nobody asks them, and the credentials that they lack would stop the copy. */
function used(nodes: WorkflowNode[], workflow: Workflow, replaced: ReadonlySet<string>): WorkflowNode[] {
  const gone = new Set(replaced);
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const { name } of nodes) {
      const { main, ...others } = workflow.connections[name] ?? {};
      const targets = Object.values(others).flatMap((slots) => slots.flatMap((slot) => slot ?? []));
      if (main === undefined && targets.length > 0 && targets.every((target) => gone.has(target.node))) gone.add(name);
    }
  }
  return nodes.filter(({ name }) => replaced.has(name) || !gone.has(name));
}

function withTargets(outputs: Connections[string], kept: ReadonlySet<string>): Connections[string] {
  return Object.fromEntries(
    Object.entries(outputs).map(([type, slots]) => [type, slots.map((slot) => (slot ?? []).filter((target) => kept.has(target.node)))]),
  );
}

function webhook(name: string, path: string): WorkflowNode {
  return {
    id: randomUUID(),
    name,
    type: 'n8n-nodes-base.webhook',
    typeVersion: 2,
    position: [-400, 0],
    webhookId: randomUUID(),
    parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
  };
}

/** A Code node in a node's place, under its name, so that connections and expressions still find it. */
function script({ id, name, position }: WorkflowNode, code: string): WorkflowNode {
  return {
    id: id ?? randomUUID(),
    name,
    type: CODE,
    typeVersion: 2,
    position: position ?? [0, 0],
    parameters: { mode: 'runOnceForAllItems', jsCode: code },
  };
}

function freeName(wanted: string, workflow: Workflow): string {
  const taken = new Set(workflow.nodes.map((node) => node.name));
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
  return name;
}
