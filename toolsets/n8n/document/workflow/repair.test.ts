import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edgesOf, requireSound } from './connections.ts';
import type { Workflow } from './model.ts';
import { repairWorkflow } from './repair.ts';

const node = (name: string, more: object = {}) => ({
  id: `id-${name}`,
  name,
  type: 'n8n-nodes-base.set',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...more,
});
const repaired = (connections: unknown, nodes: object[] = [node('A'), node('B'), node('C')]) => {
  const workflow = { nodes, connections } as unknown as Workflow;
  const codes = repairWorkflow(workflow).map((repair) => repair.code);
  return {
    workflow,
    codes,
    edges: edgesOf(workflow).map(
      ({ source, output, target, input }) => `${source}.${output.type}${output.index}>${target}.${input.type}${input.index}`,
    ),
  };
};

test('leaves sound connections as they are, empty slots too', () => {
  const connections = { A: { main: [null, [], [{ node: 'B', type: 'main', index: 1 }], []], ai_tool: [] }, B: {} };
  const { workflow, codes } = repaired(structuredClone(connections));
  expect(codes).toEqual([]);
  expect(workflow.connections).toEqual(connections);
});

test.each([
  ['keyed by id', { 'id-A': { main: [[{ node: 'id-B', type: 'main', index: 0 }]] } }, ['A.main0>B.main0']],
  [
    'a flat list of targets',
    {
      A: {
        main: [
          { node: 'B', type: 'main', index: 0 },
          { node: 'C', type: 'main', index: 1 },
        ],
      },
    },
    ['A.main0>B.main0', 'A.main0>C.main0'],
  ],
  ['a flat list below the source', { A: [{ node: 'B', type: 'main', index: 0 }] }, ['A.main0>B.main0']],
  ['names only', { A: { main: [['B', 'C']] } }, ['A.main0>B.main0', 'A.main0>C.main0']],
  ['no kind and index', { A: { ai_tool: [[{ node: 'B' }]] } }, ['A.ai_tool0>B.ai_tool0']],
  [
    'a list of edges',
    [
      { source: 'id-A', target: 'B' },
      { from: 'B', to: 'C', sourceOutput: 'main', targetInput: '1' },
    ],
    ['A.main0>B.main0', 'B.main0>C.main1'],
  ],
  [
    'the same twice',
    {
      A: {
        main: [
          [
            { node: 'B', type: 'main', index: 0 },
            { node: 'B', type: 'main', index: 0 },
          ],
        ],
      },
    },
    ['A.main0>B.main0'],
  ],
  [
    'dangling',
    {
      A: {
        main: [
          [
            { node: 'X', type: 'main', index: 0 },
            { node: 'C', type: 'main', index: 0 },
          ],
        ],
      },
      Y: { main: [[{ node: 'A' }]] },
    },
    ['A.main0>C.main0'],
  ],
  [
    'by name and by id',
    { A: { main: [[{ node: 'B', type: 'main', index: 0 }]] }, 'id-A': { main: [[{ node: 'C', type: 'main', index: 0 }]] } },
    ['A.main0>B.main0', 'A.main0>C.main0'],
  ],
  ['nonsense', { A: 7, B: { main: 'x' }, C: null }, []],
])('connections: %s', (_what, connections, edges) => {
  const { codes, edges: found, workflow } = repaired(connections);
  expect(found).toEqual(edges);
  expect(codes.length).toBeGreaterThan(0);
  expect(repairWorkflow(workflow)).toEqual([]);
});

test('whatever the file says, a second repair finds nothing and the result can be edited', () => {
  const strange = fc.jsonValue({ maxDepth: 3 });
  const name = fc.constantFrom('A', 'B', 'id-A', '__proto__', '', 'X');
  const target = fc.oneof(
    strange,
    fc.record({ node: name, type: fc.constantFrom('main', 'ai_tool'), index: fc.integer({ min: -1, max: 2 }) }),
  );
  const slots = fc.oneof(strange, fc.array(fc.oneof(target, fc.array(target, { maxLength: 3 }), fc.constant(null)), { maxLength: 3 }));
  const connections = fc.oneof(
    strange,
    fc.dictionary(name, fc.oneof(slots, fc.dictionary(fc.constantFrom('main', 'ai_tool', '__proto__'), slots))),
  );
  const nodes = fc.array(
    fc.record(
      {
        type: fc.constant('a.b'),
        name: fc.oneof(name, strange),
        id: fc.oneof(name, strange),
        position: strange,
        parameters: strange,
        typeVersion: strange,
      },
      { requiredKeys: ['type'] },
    ),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(nodes, connections, (list, wires) => {
      const workflow = structuredClone({
        nodes: list,
        connections: wires !== null && typeof wires === 'object' ? wires : {},
      }) as unknown as Workflow;
      repairWorkflow(workflow);
      requireSound(workflow, 'x');
      const names = workflow.nodes.map((each) => each.name);
      expect(new Set(names).size).toBe(names.length);
      for (const edge of edgesOf(workflow)) expect(names).toEqual(expect.arrayContaining([edge.source, edge.target]));
      expect(repairWorkflow(workflow)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('the old Start node becomes the trigger that took its place', () => {
  const { workflow, codes, edges } = repaired({ Start: { main: [[{ node: 'A', type: 'main', index: 0 }]] } }, [
    node('Start', { type: 'n8n-nodes-base.start' }),
    node('A'),
  ]);
  expect(codes).toEqual(['removed_type']);
  expect(workflow.nodes[0]).toMatchObject({ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 });
  expect(edges).toEqual(['Start.main0>A.main0']);
});

test('a version is made a number where it can be, and a node without one is left so', () => {
  const { workflow, codes } = repaired({}, [
    node('A', { typeVersion: '2.1' }),
    node('B', { typeVersion: 'new' }),
    node('C', { typeVersion: undefined }),
  ]);
  expect(codes).toEqual(['bad_type_version', 'bad_type_version']);
  expect(workflow.nodes.map(({ typeVersion }) => typeVersion)).toEqual([2.1, undefined, undefined]);
});
