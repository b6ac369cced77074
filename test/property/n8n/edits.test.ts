import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

const TYPES = [
  'n8n-nodes-base.manualTrigger',
  'n8n-nodes-base.set',
  'n8n-nodes-base.if',
  'n8n-nodes-base.merge',
  'n8n-nodes-base.splitInBatches',
  '@n8n/n8n-nodes-langchain.agent',
  '@n8n/n8n-nodes-langchain.lmChatOpenAi',
  '@n8n/n8n-nodes-langchain.toolCode',
];
/** Names that trip up code which forgets that objects have a prototype, or that keys sort themselves. */
const NAMES = ['A', 'B', '__proto__', 'constructor', 'toString', '1', '0', "It's", 'Say "x"', 'Ümläut 漢字', '$node["A"]', 'a.b'];

type Edit = { tool: string; [argument: string]: unknown };

const node = fc.nat({ max: 30 });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ tool: fc.constant('node_add'), nodeType: fc.constantFrom(...TYPES) }) },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        tool: fc.constant('connection_create'),
        sourceNodeId: node,
        targetNodeId: node,
        sourceOutput: fc.constantFrom('main', 'true', 'false', 'error', 'ai_tool', 'main[1]', '1', 'loop'),
        targetInput: fc.constantFrom('main', 'main[1]', 'ai_tool', 'ai_languageModel'),
      },
      { requiredKeys: ['tool', 'sourceNodeId', 'targetNodeId'] },
    ),
  },
  { weight: 3, arbitrary: fc.record({ tool: fc.constant('node_update'), nodeId: node, name: fc.constantFrom(...NAMES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      tool: fc.constant('node_update'),
      nodeId: node,
      parameters: fc.dictionary(fc.constantFrom('mode', 'options', '__proto__', 'x'), fc.jsonValue({ maxDepth: 2 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('node_remove'), nodeId: node }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('connection_remove'), sourceNodeId: node, targetNodeId: node }) },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('node_replace'), targetNodeId: node, newNodeType: fc.constantFrom(...TYPES) }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('workflow_undo'), steps: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('workflow_repair') }) },
);

interface File {
  nodes: { id: string; name: string }[];
  connections: Record<string, Record<string, ({ node: string; type: string; index: number }[] | null)[]>>;
}

function edgesOf({ connections }: File): string[] {
  return Object.entries(connections).flatMap(([source, byType]) =>
    Object.entries(byType).flatMap(([type, slots]) =>
      slots.flatMap((targets, index) =>
        (targets ?? []).map((target) => JSON.stringify([source, type, index, target.node, target.type, target.index])),
      ),
    ),
  );
}

function expectConsistent(file: File): void {
  const names = file.nodes.map((each) => each.name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(file.nodes.map((each) => each.id)).size).toBe(file.nodes.length);
  for (const edge of edgesOf(file)) {
    const [source, output, , target, input] = JSON.parse(edge) as string[];
    expect(names).toContain(source);
    expect(names).toContain(target);
    expect(output).toBe(input);
  }
  expect(new Set(edgesOf(file)).size).toBe(edgesOf(file).length);
}

/** Arguments that number a node name the node with that number. */
function named(arguments_: Edit, file: File): Record<string, unknown> {
  const pick = (value: unknown) => (typeof value === 'number' ? (file.nodes[value % (file.nodes.length || 1)]?.id ?? 'nobody') : value);
  return Object.fromEntries(
    Object.entries(arguments_).map(([key, value]) => [key, key.endsWith('NodeId') || key === 'nodeId' ? pick(value) : value]),
  );
}

const LAYOUTS: ((text: object) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => `${JSON.stringify(value, null, 2)}\n`,
  (value) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n'),
  (value) => `\uFEFF${JSON.stringify(value, null, 4)}`,
];

describe('a series of edits', () => {
  test('keeps the file valid, loadable and its connections consistent', { timeout: 120_000 }, async () => {
    const n8n = await openN8n();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 25 }), fc.constantFrom(...LAYOUTS), async (edits, layout) => {
        const name = `run-${run++}.json`;
        n8n.write(name, layout({ name, extra: { z: 1, a: [1.5, 'é'] }, nodes: [], connections: {}, settings: {}, id: name }));
        for (const each of edits) {
          const before = n8n.read(name);
          const { tool, ...rest } = named(each, JSON.parse(before.replace(/^\uFEFF/, '')) as File) as Edit;
          const reply = await n8n.call(tool, { workflowId: name, ...rest });
          const after = n8n.read(name);
          if (reply.isError) expect(after).toBe(before);
          const file = JSON.parse(after.replace(/^\uFEFF/, '')) as File;
          expectConsistent(file);
          expect(file).toMatchObject({ extra: { z: 1, a: [1.5, 'é'] } });
          expect((reply.structured as { error?: { code: string } }).error?.code).not.toBe('INTERNAL_SERVER_ERROR');
        }
        await n8n.done('workflow_load', { workflowIdOrPath: name });
        expect(n8n.read(name).includes('\r\n')).toBe(layout === LAYOUTS[2]);
      }),
      { numRuns: 40 },
    );
  });

  verifies(
    'n8n-replace-report-true',
    'node_replace reports every earlier connection once, and the file agrees',
    async () => {
      const n8n = await openN8n();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 6 }),
          fc.array(fc.tuple(node, node, fc.constantFrom(undefined, 'false', 'main[1]', 'error')), { maxLength: 12 }),
          node,
          fc.constantFrom(...TYPES),
          async (types, wires, target, newNodeType) => {
            const name = `replace-${run++}.json`;
            const nodes = types.map((type, index) => ({
              id: `id${index}`,
              name: `N${index}`,
              type,
              typeVersion: 2,
              position: [index * 200, 0],
              parameters: {},
            }));
            n8n.write(name, { name, nodes, connections: {}, id: name });
            const at = (index: number) => `N${index % nodes.length}`;
            for (const [source, to, sourceOutput] of wires) {
              await n8n.call('connection_create', {
                workflowId: name,
                sourceNodeId: at(source),
                targetNodeId: at(to),
                ...(sourceOutput && { sourceOutput }),
              });
            }
            const before = edgesOf(n8n.json(name) as unknown as File).filter((edge) => edge.includes(`"${at(target)}"`));
            const others = edgesOf(n8n.json(name) as unknown as File).filter((edge) => !edge.includes(`"${at(target)}"`));
            const reply = await n8n.done('node_replace', { workflowId: name, targetNodeId: at(target), newNodeType });
            const report = reply['compatibilityReport'] as unknown as { maintainedConnections: string[]; removedConnections: string[] };
            expect(report.maintainedConnections.length + report.removedConnections.length).toBe(before.length);
            expect(new Set([...report.maintainedConnections, ...report.removedConnections]).size).toBe(before.length);
            const after = edgesOf(n8n.json(name) as unknown as File);
            expect(after).toHaveLength(others.length + report.maintainedConnections.length);
            expect(after).toEqual(expect.arrayContaining(others));
          },
        ),
        {
          numRuns: 80,
          examples: [
            [
              ['n8n-nodes-base.merge', 'n8n-nodes-base.manualTrigger', 'n8n-nodes-base.manualTrigger'],
              [
                [0, 0, undefined],
                [0, 0, undefined],
              ],
              0,
              'n8n-nodes-base.manualTrigger',
            ],
          ],
        },
      );
    },
    120_000,
  );
});
