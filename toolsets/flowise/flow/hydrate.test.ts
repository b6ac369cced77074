import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitionOf } from '../nodes/definition.ts';
import { testNodes } from '../testing/nodes.ts';
import { checkFlow } from './check.ts';
import { errorsIn } from './findings.ts';
import { parseFlow } from './flow.ts';
import { hydrate } from './hydrate.ts';
import { thin } from './thin.ts';

const definitions = new Map(testNodes.flatMap((row) => definitionOf(row) ?? []).map((definition) => [definition.name, definition]));
const credentials = [{ id: 'cred-1', name: 'mine', credentialName: 'openAIApi' }];
const hydrated = (flow: object) => hydrate(parseFlow(JSON.stringify(flow)), definitions);
// biome-ignore lint/suspicious/noExplicitAny: a node's data is whatever Flowise defines
const dataOf = (node: unknown): any => (node as { data: unknown }).data;

const AGENTFLOW = {
  nodes: [
    { id: 'start', name: 'startAgentflow' },
    { id: 'llm', name: 'llmAgentflow', inputs: { llmModel: 'chatOpenAI', llmModelConfig: { credential: 'cred-1', basepath: 'http://x' } } },
  ],
  edges: [{ source: 'start', target: 'llm' }],
};
const CHATFLOW = {
  nodes: [
    { id: 'model', name: 'chatOpenAI', credential: 'cred-1' },
    { id: 'memory', name: 'bufferMemory' },
    { id: 'sum', name: 'calculator' },
    { id: 'chain', name: 'conversationChain' },
  ],
  edges: [
    { source: 'model', target: 'chain' },
    { source: 'memory', target: 'chain' },
    { source: 'sum', target: 'chain' },
  ],
};

describe('a minimal agentflow', () => {
  const { flow, completed } = hydrated(AGENTFLOW);
  const [start, llm] = flow.nodes;

  test('gets what the canvas and the engine need', () => {
    expect(completed).toEqual(['start', 'llm']);
    expect(start).toMatchObject({ id: 'start', type: 'agentFlow', position: { x: 0, y: 0 } });
    expect(dataOf(start)).toMatchObject({
      id: 'start',
      name: 'startAgentflow',
      label: 'Start',
      version: 1.4,
      hideInput: true,
      inputs: { startInputType: 'chatInput', formTitle: '' },
      inputAnchors: [],
      outputAnchors: [{ id: 'start-output-startAgentflow', label: 'Start', name: 'startAgentflow' }],
    });
    expect(dataOf(start).inputParams).toMatchObject([
      { id: 'start-input-startInputType-options', display: true },
      { id: 'start-input-formTitle-string', display: false },
    ]);
    expect(dataOf(start)).not.toHaveProperty('filePath');
    expect(flow.edges).toMatchObject([
      {
        source: 'start',
        target: 'llm',
        sourceHandle: 'start-output-startAgentflow',
        targetHandle: 'llm',
        type: 'agentFlow',
        data: { isHumanInput: false },
      },
    ]);
  });

  test("gets the chosen model's defaults and its credential where the engine looks", () => {
    expect(dataOf(llm).inputs.llmModelConfig).toEqual({
      llmModel: 'chatOpenAI',
      modelName: 'gpt-4o-mini',
      streaming: true,
      basepath: 'http://x',
      credential: 'cred-1',
      FLOWISE_CREDENTIAL_ID: 'cred-1',
    });
  });

  test('can run', () => expect(checkFlow(flow, 'AGENTFLOW', definitions, credentials)).toEqual([]));
});

describe('a minimal chatflow', () => {
  const { flow } = hydrated(CHATFLOW);

  test('finds the inputs that its edges belong to, and refers to what is connected', () => {
    expect(dataOf(flow.nodes[3]).inputs).toMatchObject({
      model: '{{model.data.instance}}',
      memory: '{{memory.data.instance}}',
      tools: ['{{sum.data.instance}}'],
      systemMessagePrompt: 'Be kind',
    });
    expect(flow.edges.map((edge) => edge['targetHandle'])).toEqual([
      'chain-input-model-BaseChatModel',
      'chain-input-memory-BaseMemory',
      'chain-input-tools-Tool',
    ]);
    expect(flow.edges[0]?.['sourceHandle']).toBe('model-output-chatOpenAI-ChatOpenAI|BaseChatModel');
  });

  test('finds its credential where the canvas and the engine keep it', () => {
    expect(dataOf(flow.nodes[0])).toMatchObject({ credential: 'cred-1', inputs: { credential: 'cred-1' } });
    expect(dataOf(flow.nodes[0]).inputParams[0]).toMatchObject({ name: 'credential', id: 'model-input-credential-credential' });
  });

  test('is the same when its inputs name the nodes and there are no edges', () => {
    const named = {
      nodes: [
        ...CHATFLOW.nodes.slice(0, 3),
        { id: 'chain', name: 'conversationChain', inputs: { model: 'model', memory: '{{memory.data.instance}}', tools: ['sum'] } },
      ],
      edges: [],
    };
    const { flow: other } = hydrated(named);
    expect(dataOf(other.nodes[3]).inputs).toEqual(dataOf(flow.nodes[3]).inputs);
    expect(other.edges.map((edge) => edge['id']).sort()).toEqual(flow.edges.map((edge) => edge['id']).sort());
  });

  test('can run', () => expect(checkFlow(flow, 'CHATFLOW', definitions, credentials)).toEqual([]));

  test('chooses among outputs', () => {
    const { flow: one } = hydrated({
      nodes: [{ id: 'f', name: 'customFunction', inputs: { javascriptFunction: 'x' }, output: 'EndingNode' }],
      edges: [],
    });
    expect(dataOf(one.nodes[0])).toMatchObject({
      outputs: { output: 'EndingNode' },
      outputAnchors: [{ name: 'output', options: [{ id: 'f-output-output-string' }, { id: 'f-output-EndingNode-CustomFunction' }] }],
    });
    expect(checkFlow(one, 'CHATFLOW', definitions, credentials)).toEqual([]);
  });
});

describe('branches', () => {
  test('are named by number or by name', () => {
    const { flow } = hydrated({
      nodes: [
        { id: 's', name: 'startAgentflow' },
        { id: 'h', name: 'humanInputAgentflow', inputs: { humanInputDescription: '?' } },
        { id: 'yes', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'y' } },
        { id: 'no', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'n' } },
      ],
      edges: [
        { source: 's', target: 'h' },
        { source: 'h', target: 'yes', output: 'proceed' },
        { source: 'h', target: 'no', output: 1 },
      ],
    });
    expect(flow.edges.map((edge) => edge['sourceHandle'])).toEqual(['s-output-startAgentflow', 'h-output-0', 'h-output-1']);
    expect(flow.edges[1]?.['data']).toMatchObject({ isHumanInput: true });
    expect(checkFlow(flow, 'AGENTFLOW', definitions, credentials)).toEqual([]);
  });

  test('of a condition are as many as it has cases, and one for the rest', () => {
    const { flow } = hydrated({ nodes: [{ id: 'c', name: 'conditionAgentflow', inputs: { conditions: [{}, {}, {}] } }], edges: [] });
    expect(dataOf(flow.nodes[0]).outputAnchors).toHaveLength(4);
  });
});

test('what is complete, unknown or odd is left as it is', () => {
  const { flow } = hydrated(AGENTFLOW);
  expect(hydrate(structuredClone(flow), definitions)).toEqual({ flow, completed: [], guessed: [] });
  const odd = { nodes: [{ id: 'x', type: 'llm', data: {} }], edges: [{ source: 'x', target: 'nobody' }] };
  expect(hydrated(odd).flow).toMatchObject({ nodes: [{ id: 'x', type: 'llm', data: { id: 'x' } }], edges: odd.edges });
});

test('nodes without an id get one of their own', () => {
  const { flow } = hydrated({
    nodes: [{ name: 'startAgentflow' }, { id: 'startAgentflow_1', name: 'startAgentflow' }, { name: 'startAgentflow' }],
    edges: [],
  });
  expect(flow.nodes.map((node) => node.id)).toEqual(['startAgentflow_0', 'startAgentflow_1', 'startAgentflow_2']);
});

test('a thin flow is short and hydrates to the same', () => {
  for (const given of [AGENTFLOW, CHATFLOW]) {
    const { flow } = hydrated(given);
    const short = thin(flow, definitions);
    expect(JSON.stringify(short).length).toBeLessThan(JSON.stringify(flow).length / 3);
    expect(hydrated(short).flow.nodes.map(dataOf)).toEqual(flow.nodes.map(dataOf));
    expect(hydrated(short).flow.edges).toEqual(flow.edges);
  }
});

test('keys such as __proto__ are only data', () => {
  const { flow } = hydrate(
    parseFlow('{"nodes":[{"id":"a","name":"startAgentflow","inputs":{"__proto__":{"polluted":1}}}],"edges":[],"__proto__":{"polluted":1}}'),
    definitions,
  );
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(checkFlow(flow, 'AGENTFLOW', definitions, credentials)).toBeDefined();
});

test('any graph of known and unknown nodes can be hydrated, checked, thinned and hydrated again', () => {
  const names = [...definitions.keys(), 'nope', ''];
  const node = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', ''),
      name: fc.constantFrom(...names),
      inputs: fc.oneof(fc.object({ maxDepth: 1 }), fc.anything()),
    },
    { requiredKeys: [] },
  );
  const edge = fc.record(
    {
      source: fc.constantFrom('a', 'b', 'c', 'x'),
      target: fc.constantFrom('a', 'b', 'c', 'x'),
      output: fc.anything(),
      sourceHandle: fc.anything(),
    },
    { requiredKeys: ['source', 'target'] },
  );
  fc.assert(
    fc.property(
      fc.array(node, { maxLength: 6 }),
      fc.array(edge, { maxLength: 6 }),
      fc.constantFrom('CHATFLOW', 'AGENTFLOW'),
      (nodes, edges, type) => {
        const { flow } = hydrated({ nodes, edges });
        const errors = errorsIn(checkFlow(flow, type, definitions, credentials)).length;
        const again = hydrated(thin(flow, definitions)).flow;
        expect(errorsIn(checkFlow(again, type, definitions, credentials)).length > 0).toBe(errors > 0);
      },
    ),
    { numRuns: 200 },
  );
});

describe('flows as people have them', () => {
  const chain = (id: string, output?: string) => ({ id, name: 'llmChain', inputs: { model: 'model' }, ...(output && { output }) });
  const model = { id: 'model', name: 'chatOpenAI', credential: 'cred-1' };
  const prompt = (id: string, promptValues = '') => ({ id, name: 'promptTemplate', inputs: { template: 'x {a}', promptValues } });

  test("an output that stands in a prompt's values is connected there, with an edge or without", () => {
    const nodes = [
      model,
      prompt('first'),
      chain('think', 'outputPrediction'),
      prompt('second', '{"a":"{{think.data.instance}}"}'),
      chain('answer'),
    ];
    const edges = [
      { source: 'first', target: 'think' },
      { source: 'second', target: 'answer' },
    ];
    for (const more of [[], [{ source: 'think', target: 'second' }]]) {
      const { flow, guessed } = hydrated({ nodes, edges: [...edges, ...more] });
      expect(flow.edges).toContainEqual(
        expect.objectContaining({
          sourceHandle: 'think-output-outputPrediction-string|json',
          targetHandle: 'second-input-promptValues-json',
        }),
      );
      expect(guessed).toEqual([]);
      expect(errorsIn(checkFlow(flow, 'CHATFLOW', definitions, credentials))).toEqual([]);
    }
  });

  test('handles of another version of a node are renewed where the node is filled in, and kept where it is whole', () => {
    const edge = {
      source: 'model',
      target: 'chain',
      sourceHandle: 'model-output-chatOpenAI-ChatOpenAI|BaseLanguageModel',
      targetHandle: 'chain-input-model-BaseLanguageModel',
    };
    const nodes = [model, { id: 'memory', name: 'bufferMemory' }, { id: 'chain', name: 'conversationChain', inputs: { memory: 'memory' } }];
    const { flow } = hydrated({ nodes, edges: [edge] });
    expect(flow.edges[0]).toMatchObject({
      sourceHandle: 'model-output-chatOpenAI-ChatOpenAI|BaseChatModel',
      targetHandle: 'chain-input-model-BaseChatModel',
    });
    const old = structuredClone(flow);
    dataOf(old.nodes[2]).inputAnchors[0].id = edge.targetHandle;
    dataOf(old.nodes[0]).outputAnchors[0].id = edge.sourceHandle;
    old.edges[0] = { ...old.edges[0], ...edge };
    const again = hydrate(structuredClone(old), definitions).flow;
    expect(again).toEqual(old);
    expect(checkFlow(again, 'CHATFLOW', definitions, credentials)).toEqual([]);
  });

  const branching = (edges: object[]) => ({
    nodes: [
      { id: 's', name: 'startAgentflow' },
      { id: 'ask', name: 'humanInputAgentflow', inputs: { humanInputDescriptionType: 'fixed', humanInputDescription: 'x' } },
      { id: 'yes', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'y' } },
      { id: 'no', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'n' } },
    ],
    edges: [{ source: 's', target: 'ask' }, ...edges],
  });

  test('edges that do not name their output take the outputs in order, with a notice', () => {
    const unsaid = [
      { source: 'ask', target: 'yes' },
      { source: 'ask', target: 'no' },
    ];
    const { flow, guessed } = hydrated(branching(unsaid));
    expect(flow.edges.slice(1).map((edge) => edge['sourceHandle'])).toEqual(['ask-output-0', 'ask-output-1']);
    expect(guessed).toMatchObject([{ code: 'guessed_output', severity: 'warning', node: 'ask' }]);
    const half = [
      { source: 'ask', target: 'yes' },
      { source: 'ask', target: 'no', output: 'proceed' },
    ];
    expect(
      hydrated(branching(half))
        .flow.edges.slice(1)
        .map((edge) => edge['sourceHandle']),
    ).toEqual(['ask-output-1', 'ask-output-0']);
  });

  test("a sequential condition has an end for each of its table's or code's names", () => {
    const flow = (inputs: object, edges: object[]) => ({
      nodes: [
        model,
        { id: 'start', name: 'seqStart', inputs: { model: 'model' } },
        { id: 'if', name: 'seqCondition', inputs },
        { id: 'a', name: 'seqEnd' },
        { id: 'b', name: 'seqEnd' },
      ],
      edges: [{ source: 'start', target: 'if' }, ...edges],
    });
    const edges = [
      { source: 'if', target: 'a', output: 'Code Reviewer' },
      { source: 'if', target: 'b', output: 'end' },
    ];
    const table = JSON.stringify([{ variable: '$flow.state.next', operation: 'Is', value: 'x', output: 'Code Reviewer' }]);
    for (const inputs of [{ conditionUI: table }, { conditionFunction: 'if (x) return "Code Reviewer"\nreturn "End"' }]) {
      const { flow: whole } = hydrated(flow(inputs, edges));
      expect(whole.edges.slice(1, 3).map((edge) => edge['sourceHandle'])).toEqual([
        'if-output-codeReviewer-Condition',
        'if-output-end-Condition',
      ]);
      expect(dataOf(whole.nodes[2]).outputAnchors[0].options).toMatchObject([{ label: 'Code Reviewer', isAnchor: true }, { label: 'End' }]);
      expect(errorsIn(checkFlow(whole, 'CHATFLOW', definitions, credentials))).toEqual([]);
    }
    const whole = hydrated(flow({ conditionUI: table }, edges)).flow;
    expect(hydrate(thin(whole, definitions), definitions)).toMatchObject({ flow: { edges: whole.edges }, guessed: [] });
    const empty = hydrated(flow({ conditionUI: 'nonsense {' }, [])).flow;
    expect(dataOf(empty.nodes[2]).outputAnchors[0].options).toMatchObject([{ label: 'End' }]);
  });
});
