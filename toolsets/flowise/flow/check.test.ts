import { describe, expect, test } from 'vitest';
import { definitionOf, isVisible } from '../nodes/definition.ts';
import { testNodes } from '../testing/nodes.ts';
import { checkFlow } from './check.ts';
import type { Finding } from './findings.ts';
import { parseFlow } from './flow.ts';
import { hydrate } from './hydrate.ts';
import { withoutRepeats } from './prepare.ts';

const definitions = new Map(testNodes.flatMap((row) => definitionOf(row) ?? []).map((definition) => [definition.name, definition]));
const credentials = [{ id: 'cred-1', name: 'mine', credentialName: 'openAIApi' }];

function codes(flow: object, type: 'CHATFLOW' | 'AGENTFLOW' = 'AGENTFLOW', known: typeof credentials | undefined = credentials): string[] {
  const { flow: whole } = hydrate(parseFlow(JSON.stringify(flow)), definitions);
  return checkFlow(whole, type, definitions, known).map(({ code, severity, node }) => `${severity} ${code} ${node ?? ''}`.trim());
}

const start = { id: 's', name: 'startAgentflow' };
const reply = { id: 'r', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'x' } };
const edge = { source: 's', target: 'r' };

describe('an agentflow', () => {
  test('that can run has no findings', () => expect(codes({ nodes: [start, reply], edges: [edge] })).toEqual([]));
  test('without nodes', () => expect(codes({ nodes: [], edges: [] })).toEqual(['error empty_flow']));
  test('of sticky notes alone', () =>
    expect(codes({ nodes: [{ id: 'n', name: 'stickyNoteAgentflow' }], edges: [] })).toEqual(['error empty_flow']));
  test('without a start', () => expect(codes({ nodes: [reply, { ...reply, id: 'q' }], edges: [] })).toContain('error no_start'));
  test('with two starts', () =>
    expect(codes({ nodes: [start, { ...start, id: 't' }, reply], edges: [edge, { source: 't', target: 'r' }] })).toEqual([
      'error several_starts',
    ]));
  test('with two nodes of one id', () => expect(codes({ nodes: [start, reply, reply], edges: [edge] })).toEqual(['error duplicate_id r']));
  test('with an edge into nothing', () =>
    expect(codes({ nodes: [start, reply], edges: [edge, { source: 's', target: 'gone' }] })).toEqual(['error dangling_edge s']));
  test('with a node that is connected to nothing', () =>
    expect(codes({ nodes: [start, reply, { ...reply, id: 'lonely' }], edges: [edge] })).toEqual(['error unconnected_node lonely']));
  test('with a node inside an iteration', () =>
    expect(codes({ nodes: [start, reply, { ...reply, id: 'inner', parentNode: 'i' }], edges: [edge] })).toEqual([]));
  test('with an unknown node', () =>
    expect(codes({ nodes: [start, reply, { id: 'x', name: 'llmAgentflo' }], edges: [edge, { source: 's', target: 'x' }] })).toEqual([
      'error unknown_node x',
    ]));
  test('with a node for chatflows', () =>
    expect(codes({ nodes: [start, reply, { id: 'm', name: 'bufferMemory' }], edges: [edge] })).toContain('error wrong_flow_type m'));
  test('without a required value', () =>
    expect(codes({ nodes: [start, { id: 'r', name: 'directReplyAgentflow' }], edges: [edge] })).toEqual(['error missing_value r']));
  test('without a model', () =>
    expect(codes({ nodes: [start, { id: 'l', name: 'llmAgentflow' }], edges: [{ source: 's', target: 'l' }] })).toEqual([
      'error missing_value l',
    ]));
  test('whose hidden inputs are empty is fine', () =>
    expect(
      codes({
        nodes: [start, { id: 'h', name: 'humanInputAgentflow', inputs: { humanInputDescription: '?' } }],
        edges: [{ source: 's', target: 'h' }],
      }),
    ).toEqual([]));
  test('with an empty item of a list', () => {
    const llm = {
      id: 'l',
      name: 'llmAgentflow',
      inputs: { llmModel: 'chatOpenAI', llmModelConfig: { credential: 'cred-1' }, llmMessages: [{ role: 'system', content: '' }] },
    };
    expect(codes({ nodes: [start, llm], edges: [{ source: 's', target: 'l' }] })).toEqual(['error missing_value l']);
  });
  test('whose model has no credential, or one that does not exist', () => {
    const llm = (credential: string) => ({
      id: 'l',
      name: 'llmAgentflow',
      inputs: { llmModel: 'chatOpenAI', llmModelConfig: { credential } },
    });
    const flow = (credential: string) => ({ nodes: [start, llm(credential)], edges: [{ source: 's', target: 'l' }] });
    expect(codes(flow(''))).toEqual(['error missing_credential l']);
    expect(codes(flow('gone'))).toEqual(['error unknown_credential l']);
    expect(codes(flow('cred-1'))).toEqual([]);
  });
});

describe('a chatflow', () => {
  const model = { id: 'm', name: 'chatOpenAI', credential: 'cred-1' };
  const memory = { id: 'y', name: 'bufferMemory' };
  const chain = { id: 'c', name: 'conversationChain', inputs: { model: 'm', memory: 'y' } };

  test('that can run has no findings', () => expect(codes({ nodes: [model, memory, chain], edges: [] }, 'CHATFLOW')).toEqual([]));
  test('with agentflow nodes', () =>
    expect(codes({ nodes: [start, reply], edges: [edge] }, 'CHATFLOW')).toContain('error wrong_flow_type s'));
  test('without something that a chain needs', () =>
    expect(codes({ nodes: [model, { ...chain, inputs: { model: 'm' } }], edges: [] }, 'CHATFLOW')).toEqual(['error missing_connection c']));
  test('without an end', () => expect(codes({ nodes: [memory], edges: [] }, 'CHATFLOW')).toEqual(['error no_ending']));
  test('that runs in a circle', () => {
    const circle = { nodes: [model, memory, chain], edges: [{ source: 'c', target: 'm', targetHandle: 'm-input-cache-BaseCache' }] };
    expect(codes(circle, 'CHATFLOW')).toContain('error cycle');
  });
  test('with an edge at an input that does not exist', () =>
    expect(
      codes({ nodes: [model, memory, chain], edges: [{ source: 'y', target: 'c', targetHandle: 'c-input-nope-X' }] }, 'CHATFLOW'),
    ).toContain('error wrong_handle c'));
  test('of another version of a node only warns', () => {
    const { flow } = hydrate(parseFlow(JSON.stringify({ nodes: [model, memory, chain], edges: [] })), definitions);
    const older = { ...flow, nodes: flow.nodes.map((node) => ({ ...node, data: { ...(node.data as object), version: 0.5 } })) };
    expect(checkFlow(older, 'CHATFLOW', definitions, credentials).map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'warning version_mismatch',
      'warning version_mismatch',
      'warning version_mismatch',
    ]);
  });
  test('whose credentials may not be listed is not blamed for them', () => {
    const { flow } = hydrate(
      parseFlow(JSON.stringify({ nodes: [{ ...model, credential: 'whatever' }, memory, chain], edges: [] })),
      definitions,
    );
    expect(checkFlow(flow, 'CHATFLOW', definitions, undefined)).toEqual([]);
  });
});

test('at most fifty findings are reported', () => {
  const nodes = Array.from({ length: 200 }, (_, index) => ({ id: `n${index}`, name: 'nope' }));
  expect(codes({ nodes, edges: [] })).toHaveLength(50);
});

test('visibility follows the rules of a definition', () => {
  const input = (rules: object) => ({ label: 'x', name: 'x', type: 'string', ...rules });
  expect(isVisible(input({}), {})).toBe(true);
  expect(isVisible(input({ hidden: true }), {})).toBe(false);
  expect(isVisible(input({ show: { a: 'b' } }), { a: 'b' })).toBe(true);
  expect(isVisible(input({ show: { a: ['b', 'c'] } }), { a: 'c' })).toBe(true);
  expect(isVisible(input({ show: { a: 'b', d: true } }), { a: 'b', d: false })).toBe(false);
  expect(isVisible(input({ show: { a: '^o[13]' } }), { a: 'o3-mini' })).toBe(true);
  expect(isVisible(input({ hide: { 'a.b': 1 } }), { a: { b: 1 } })).toBe(false);
  expect(isVisible(input({ show: { 'list[$index].kind': 'x' } }), { list: [{ kind: 'y' }, { kind: 'x' }] }, 1)).toBe(true);
  expect(isVisible(input({ show: { a: '(' } }), { a: 'x' })).toBe(false);
});

test('no error is lost behind many warnings', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ ...reply, id: `r${index}`, version: 0.1 }));
  const edges = many.map(({ id }) => ({ source: 's', target: id }));
  const { flow } = hydrate(parseFlow(JSON.stringify({ nodes: [start, ...many], edges })), definitions);
  const outdated = flow.nodes.map((node) => ({ ...node, data: { ...(node.data as object), version: 0.1 } }));
  const nodes = [...outdated, { id: 'x', name: 'noSuchNode', data: { id: 'x', name: 'noSuchNode' } }];
  const findings = checkFlow({ nodes, edges: [...flow.edges, { source: 's', target: 'x' }] }, 'AGENTFLOW', definitions, credentials);
  expect(findings).toHaveLength(50);
  expect(findings[0]).toMatchObject({ code: 'unknown_node', node: 'x' });
});

test("of a node of another version Flowise's own check only warns", () => {
  const own: Finding[] = [{ code: 'version_mismatch', severity: 'warning', node: 'old', message: 'x' }];
  const theirs: Finding[] = ['old', 'new'].map((node) => ({ code: 'flowise', severity: 'error', node, message: 'Value is required' }));
  expect(withoutRepeats(own, theirs).map(({ node, severity }) => [node, severity])).toEqual([
    ['old', 'warning'],
    ['old', 'warning'],
    ['new', 'error'],
  ]);
});
