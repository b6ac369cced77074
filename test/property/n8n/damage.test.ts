import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { fakeInstance, KEY } from '../../harness/n8n-instance.ts';

const node = (id: string, type: string, parameters: object = {}) => ({
  id,
  name: id.toUpperCase(),
  type,
  typeVersion: 2,
  position: [0, 0],
  parameters,
});
const SOUND = {
  name: 'Sound',
  nodes: [
    node('a', 'n8n-nodes-base.webhook', { path: 'x' }),
    node('b', 'n8n-nodes-base.if', { conditions: { x: "={{ $('A').item }}" } }),
    node('c', 'n8n-nodes-base.switch', { rules: { values: [{ outputKey: 'k', renameOutput: true }] } }),
    node('d', 'n8n-nodes-base.stickyNote', { content: 'note', width: 100 }),
    { ...node('e', 'n8n-nodes-base.set'), credentials: { x: { id: '1', name: 'n' } } },
  ],
  connections: { A: { main: [[{ node: 'B', type: 'main', index: 0 }]] }, B: { main: [[{ node: 'C', type: 'main', index: 0 }], null] } },
  settings: { executionOrder: 'v1' },
  pinData: { A: [{ json: {} }] },
  staticData: { 'node:A': {} },
  meta: { description: 'd' },
  id: 'sound',
};

const junk = fc.constantFrom<unknown[]>(
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'A',
  '__proto__',
  [],
  {},
  [null],
  [[]],
  { toString: 1 },
  { node: 'B' },
  { main: 1 },
  'x'.repeat(300),
);

/** Every place in a value, as a path. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object') return path.length > 0 ? [path] : [];
  const below = Object.entries(value).flatMap(([key, member]) => places(member, [...path, Array.isArray(value) ? Number(key) : key]));
  return path.length > 0 ? [path, ...below] : below;
}

function damaged(at: number, value: unknown): Record<string, unknown> {
  const copy = structuredClone(SOUND) as Record<string, unknown>;
  const all = places(copy);
  const path = all[at % all.length] as (string | number)[];
  let holder: Record<string | number, unknown> = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  holder[path.at(-1) as string] = value;
  return copy;
}

test('no damage to a file brings a tool down', async () => {
  const instance = await fakeInstance();
  const n8n = await openN8n({ environment: { N8N_API_URL: instance.url, N8N_API_KEY: KEY } });
  const calls: [string, object][] = [
    ['workflow_load', { workflowIdOrPath: 'x.json' }],
    ['workflow_list', {}],
    ['workflow_diagram', { workflowId: 'x.json' }],
    ['workflow_diagram', { workflowId: 'x.json', format: 'svg' }],
    ['workflow_deploy', { workflowId: 'x.json', dryRun: true }],
    ['workflow_deploy', { workflowId: 'x.json', force: true }],
    ['connection_create', { workflowId: 'x.json', sourceNodeId: 'B', targetNodeId: 'E', sourceOutput: 'false' }],
    ['connection_remove', { workflowId: 'x.json', sourceNodeId: 'A', targetNodeId: 'B' }],
    ['node_update', { workflowId: 'x.json', nodeId: 'A', name: 'Renamed', parameters: { y: 1 } }],
    ['node_replace', { workflowId: 'x.json', targetNodeId: 'B', newNodeType: 'n8n-nodes-base.filter' }],
    ['node_add', { workflowId: 'x.json', nodeType: 'n8n-nodes-base.set' }],
    ['node_remove', { workflowId: 'x.json', nodeId: 'C' }],
    ['workflow_repair', { workflowId: 'x.json' }],
    ['node_add', { workflowId: 'x.json', nodeType: 'n8n-nodes-base.if' }],
    ['workflow_undo', { workflowId: 'x.json', steps: 1 }],
  ];
  await fc.assert(
    fc.asyncProperty(fc.nat(), junk, async (at, value) => {
      n8n.write('x.json', damaged(at, value));
      await n8n.catalog.contexts();
      for (const [tool, parameters] of calls) {
        const reply = await n8n.call(tool, parameters);
        const { error } = reply.structured as { error?: { code: string } };
        const cause = n8n.logged.at(-1)?.details;
        expect(error?.code, `${tool}: ${String((cause as { err?: Error } | undefined)?.err?.stack)}`).not.toBe('INTERNAL_SERVER_ERROR');
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);
