import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';

const rule = (outputKey: string) => ({
  outputKey,
  renameOutput: true,
  conditions: { options: { version: 2 }, conditions: [], combinator: 'and' },
});

async function orders() {
  const n8n = await openN8n();
  const { workflowId } = await n8n.done('workflow_create', { name: 'Orders' });
  for (const nodeType of [
    'n8n-nodes-base.manualTrigger',
    'n8n-nodes-base.httpRequest',
    'n8n-nodes-base.if',
    'n8n-nodes-base.merge',
    'n8n-nodes-base.splitInBatches',
    '@n8n/n8n-nodes-langchain.agent',
    '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    '@n8n/n8n-nodes-langchain.toolCalculator',
  ])
    await n8n.done('node_add', { workflowId, nodeType });
  await n8n.done('node_add', {
    workflowId,
    nodeType: 'n8n-nodes-base.switch',
    parameters: { rules: { values: [rule('Paid'), rule('Open')] } },
  });
  return { n8n, workflowId: workflowId as unknown as string };
}

type Node = { name: string; type: string; position: number[]; parameters: Record<string, unknown> };

test('what is nearly right is done', async () => {
  const { n8n, workflowId } = await orders();
  const last = () => (n8n.json('orders.json') as unknown as { nodes: Node[] }).nodes.at(-1) as Node;
  for (const [written, type] of [
    ['httpRequest', 'n8n-nodes-base.httpRequest'],
    ['HTTP Request', 'n8n-nodes-base.httpRequest'],
    ['n8n-nodes-base.HttpRequest', 'n8n-nodes-base.httpRequest'],
    ['nodes-base.httpRequest', 'n8n-nodes-base.httpRequest'],
    ['Edit Fields', 'n8n-nodes-base.set'],
    ['Loop Over Items', 'n8n-nodes-base.splitInBatches'],
    ['AI Agent', '@n8n/n8n-nodes-langchain.agent'],
    ['OpenAI Chat Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi'],
    ['n8n-nodes-langchain.agent', '@n8n/n8n-nodes-langchain.agent'],
    ['Google Sheets', 'n8n-nodes-base.googleSheets'],
  ]) {
    await n8n.done('node_add', { workflowId: `${workflowId}.json`, nodeType: written });
    expect(last().type, written).toBe(type);
  }
  for (const position of [{ x: 10, y: 20 }, [10, 20], '10,20', '[10, 20]', '{"x":10,"y":20}', { x: '10', y: '20' }]) {
    await n8n.done('node_add', { workflowId: 'ORDERS', nodeType: 'set', position, parameters: '{"mode":"raw"}' });
    expect(last(), JSON.stringify(position)).toMatchObject({ position: [10, 20], parameters: { mode: 'raw' } });
  }
});

test('ports and nodes go by what people call them', async () => {
  const { n8n, workflowId } = await orders();
  const start = 'When clicking ‘Execute workflow’';
  for (const [source, target, ports, from, into] of [
    ["when clicking 'execute workflow'", 'http request', {}, 'main[0]', 'main[0]'],
    ['manualTrigger', 'If', {}, 'main[0]', 'main[0]'],
    ['n8n-nodes-base.manualTrigger', 'Merge', {}, 'main[0]', 'main[0]'],
    ['If', 'Merge', { sourceOutput: 'False', targetInput: 1 }, 'main[1]', 'main[1]'],
    ['If', 'HTTP Request', { sourceOutput: true }, 'main[0]', 'main[0]'],
    ['If', 'Switch', { sourceOutput: 1 }, 'main[1]', 'main[0]'],
    ['Switch', 'Merge', { sourceOutput: 'open', targetInput: 'Input 2' }, 'main[1]', 'main[1]'],
    ['Loop Over Items', 'HTTP Request', { sourceOutput: 'Loop' }, 'main[1]', 'main[0]'],
    ['OpenAI Chat Model', 'AI Agent', { sourceOutput: 'languageModel' }, 'ai_languageModel[0]', 'ai_languageModel[0]'],
    ['Calculator', 'AI Agent', { sourceOutput: 'ai_tools' }, 'ai_tool[0]', 'ai_tool[0]'],
    ['Calculator', 'AI Agent', { targetInput: 'AI Tool' }, 'ai_tool[0]', 'ai_tool[0]'],
  ] as [string, string, Record<string, unknown>, string, string][]) {
    const { connection, workflowData } = (await n8n.done('connection_create', {
      workflowId,
      sourceNodeId: source,
      targetNodeId: target,
      ...ports,
    })) as unknown as { connection: { sourceIndex: number; targetIndex: number; sourceNodeId: string }; workflowData: Data };
    const name = workflowData.nodes.find((node) => node.id === connection.sourceNodeId)?.name as string;
    const [type, index] = from.slice(0, -1).split('[') as [string, string];
    const targets = workflowData.connections[name]?.[type]?.[Number(index)] ?? [];
    expect(
      targets.map((each) => `${each.type}[${each.index}]`),
      `${source} → ${target}`,
    ).toContain(into);
    expect([connection.sourceIndex, `[${connection.targetIndex}]`]).toEqual([Number(index), into.slice(into.indexOf('['))]);
  }
  expect(n8n.json('orders.json')).toMatchObject({ connections: { [start]: { main: [[{}, {}, {}]] } } });
});

interface Data {
  nodes: { id: string; name: string }[];
  connections: Record<string, Record<string, { type: string; index: number }[][]>>;
}

test('what cannot be meant is refused with what could be', async () => {
  const { n8n, workflowId } = await orders();
  const between = (sourceNodeId: string, targetNodeId: string, more = {}) => ({ workflowId, sourceNodeId, targetNodeId, ...more });
  const before = n8n.read('orders.json');
  for (const [tool, parameters, said] of [
    ['node_add', { workflowId, nodeType: 'n8n-nodes-base.httpReqest' }, 'n8n-nodes-base.httpRequest'],
    ['node_add', { workflowId, nodeType: 'n8n-nodes-base.start' }, 'n8n-nodes-base.manualTrigger'],
    ['node_add', { workflowId, nodeType: 'set', parameters: '{"mode":' }, 'parameters'],
    ['node_add', { workflowId, nodeType: 'set', parameters: [] }, 'parameters'],
    ['node_add', { workflowId, nodeType: 'set', position: 'left' }, 'position'],
    ['node_add', { workflowId, nodeType: 'set', name: 'Mine' }, 'Known arguments: workflowId, nodeType, position, parameters'],
    ['node_add', { workflowId: 'Ordres', nodeType: 'set' }, 'Did you mean Orders?'],
    ['connection_create', between('HTTP Reqest', 'If'), 'Did you mean HTTP Request'],
    ['connection_create', between('If', 'Merge', { sourceOutput: 'yes' }), 'true, false'],
    ['connection_create', between('If', 'Merge', { sourceOutput: 'main[2]' }), 'true, false'],
    ['connection_create', between('Switch', 'Merge', { sourceOutput: 'Payed' }), 'Paid, Open'],
    ['connection_create', between('AI Agent', 'OpenAI Chat Model'), 'swap source and target'],
    ['connection_create', between('OpenAI Chat Model', 'AI Agent', { sourceOutput: 'main' }), 'ai_languageModel'],
    ['connection_create', between('HTTP Request', 'AI Agent', { sourceOutput: 'ai_tool' }), 'n8n-nodes-base.httpRequestTool'],
    ['connection_create', between('If', 'manualTrigger'), 'no inputs'],
    ['node_update', { workflowId, nodeId: 'If', disabled: 'yes' }, 'disabled'],
    ['node_update', { workflowId, nodeId: 'If' }, 'Nothing to update'],
    ['node_update', { workflowId, nodeId: 'If', typeVersion: 99 }, 'has no version 99'],
    ['node_replace', { workflowId, targetNodeId: 'If', newNodeType: 'Filter Node' }, 'n8n-nodes-base.filter'],
    ['node_remove', { workflowId, nodeId: 'Swich' }, 'Did you mean Switch'],
    ['workflow_save', { workflowId: 'x', workflowData: { name: 'x' }, filePath: 'x.json' }, 'it has no list of nodes'],
    ['workflow_save', { workflowId: 'x', workflowData: { nodes: [], connections: {} }, filePath: 'x' }, 'end in .json'],
    ['workflow_validate', { workflow: { nodes: [], connections: {} } }, 'Did you mean \\"workflowData\\"'],
    ['workflow_validate', {}, 'workflowId or workflowData'],
    ['node_search', { query: 'slack' }, 'Did you mean \\"keyword'],
  ] as [string, Record<string, unknown>, string][]) {
    const error = await n8n.refused(tool, parameters);
    expect(JSON.stringify(error), `${tool} ${JSON.stringify(parameters)}`).toContain(said);
  }
  expect(n8n.read('orders.json')).toBe(before);
});

test('a workflow may come as text, or in what a reply or a template library puts around it', async () => {
  const n8n = await openN8n();
  const workflow = { name: 'x', nodes: [], connections: {} };
  for (const workflowData of [
    workflow,
    JSON.stringify(workflow),
    { workflow },
    { workflowId: 'x', workflowData: workflow },
    { data: workflow },
  ]) {
    expect(await n8n.done('workflow_validate', { workflowData })).toEqual({ valid: true, errors: [], warnings: [] });
    await n8n.done('workflow_save', { workflowId: 'x', workflowData, filePath: 'x.json' });
    expect(n8n.json('x.json')).toEqual(workflow);
  }
  n8n.write('wrapped.json', { id: 7, workflow });
  const text = n8n.read('wrapped.json');
  expect((await n8n.refused('workflow_load', { workflowIdOrPath: 'wrapped.json' })).message).toContain('under "workflow"');
  expect(n8n.read('wrapped.json')).toBe(text);
});

test('what belongs to the node and not to its parameters is pointed out', async () => {
  const { n8n, workflowId } = await orders();
  const reply = await n8n.done('node_add', { workflowId, nodeType: 'set', parameters: { name: 'Mine', notes: 'x', assignmnts: {} } });
  expect(reply['warnings']).toEqual([
    'n8n-nodes-base.set has no parameter "name", and n8n ignores it; node_update sets it',
    'n8n-nodes-base.set has no parameter "notes", and n8n ignores it; node_update sets it',
    'n8n-nodes-base.set has no parameter "assignmnts", and n8n ignores it; did you mean assignments?',
  ]);
});
