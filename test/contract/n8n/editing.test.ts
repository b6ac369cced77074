import { expect, test } from 'vitest';
import { openN8n, type TestN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
}
interface Data {
  nodes: Node[];
  connections: Record<string, Record<string, ({ node: string; type: string; index: number }[] | null)[]>>;
}

async function built(n8n: TestN8n, types: Record<string, string>): Promise<Record<string, string>> {
  await n8n.done('workflow_create', { name: 'flow' });
  const ids: Record<string, string> = {};
  for (const [name, nodeType] of Object.entries(types)) {
    const { nodeId } = await n8n.done('node_add', { workflowId: 'flow', nodeType });
    await n8n.done('node_update', { workflowId: 'flow', nodeId, name });
    ids[name] = String(nodeId);
  }
  return ids;
}

const SET = 'n8n-nodes-base.set';
const connect = (n8n: TestN8n, sourceNodeId: string, targetNodeId: string, ports: Record<string, string> = {}) =>
  n8n.done('connection_create', { workflowId: 'flow', sourceNodeId, targetNodeId, ...ports });

verifies('n8n-add-reply', 'node_add returns success, nodeId and workflowData with the node in it', async () => {
  const n8n = await openN8n();
  const { workflowId } = await n8n.done('workflow_create', { name: 'flow' });
  const reply = await n8n.done('node_add', { workflowId, nodeType: SET, parameters: { mode: 'raw' } });
  const data = reply['workflowData'] as unknown as Data;
  expect(reply).toMatchObject({ success: true, nodeId: expect.any(String) });
  expect(data.nodes).toEqual([
    { parameters: { options: {}, mode: 'raw' }, id: reply['nodeId'], name: 'Edit Fields', type: SET, typeVersion: 3.5, position: [0, 0] },
  ]);
  expect(n8n.json('flow.json')).toEqual(data);
  expect(await n8n.refused('node_add', { workflowId })).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS', message: 'nodeType is required' });
  expect(await n8n.refused('node_add', { nodeType: SET })).toMatchObject({ message: 'workflowId is required' });
});

verifies('n8n-add-position', 'a position {x, y} is stored as [x, y], and without one the node gets a free place', async () => {
  const n8n = await openN8n();
  await n8n.done('workflow_create', { name: 'flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET, position: { x: 250, y: -30.5 } });
  for (let index = 0; index < 8; index++) await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  const { nodes } = n8n.json('flow.json') as unknown as Data;
  expect(nodes[0]?.position).toEqual([250, -30.5]);
  for (const [index, { position }] of nodes.entries()) {
    for (const other of nodes.slice(index + 1)) {
      expect(Math.abs(position[0] - other.position[0]) >= 200 || Math.abs(position[1] - other.position[1]) >= 120).toBe(true);
    }
  }
  expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
});

verifies('n8n-add-unknown-type', 'an unknown type is refused with the nearest, and the file stays', async () => {
  const n8n = await openN8n();
  await built(n8n, { A: SET });
  const before = n8n.read('flow.json');
  const unknown = { details: { nearest: expect.arrayContaining(['n8n-nodes-base.httpRequest']) }, code: 'TOOL_EXECUTION_ERROR' };
  expect(await n8n.refused('node_add', { workflowId: 'flow', nodeType: 'n8n-nodes-base.htpRequest' })).toMatchObject(unknown);
  expect(
    await n8n.refused('node_replace', { workflowId: 'flow', targetNodeId: 'A', newNodeType: 'n8n-nodes-base.htpRequest' }),
  ).toMatchObject(unknown);
  expect(n8n.read('flow.json')).toBe(before);
});

test('without the engine pack a full type can be added, a short one says what to install', async () => {
  const n8n = await openN8n({ engine: false });
  await n8n.done('workflow_create', { name: 'flow' });
  const { nodeId } = await n8n.done('node_add', {
    workflowId: 'flow',
    nodeType: 'n8n-nodes-base.httpRequest',
    parameters: { url: 'http://x' },
  });
  expect(n8n.json('flow.json')).toMatchObject({
    nodes: [{ id: nodeId, name: 'Http Request', typeVersion: 1, parameters: { url: 'http://x' } }],
  });
  expect(await n8n.refused('node_add', { workflowId: 'flow', nodeType: 'set' })).toMatchObject({
    details: { fix: { instruction: 'Install it: millrace engine add n8n' } },
  });
  expect(await n8n.refused('node_replace', { workflowId: 'flow', targetNodeId: String(nodeId), newNodeType: SET })).toMatchObject({
    message: expect.stringContaining('needs the n8n engine pack'),
    details: { fix: { instruction: 'Install it: millrace engine add n8n' } },
  });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: 'n8n-nodes-base.if' });
  expect(await connect(n8n, 'If', 'Http Request', { sourceOutput: 'false' })).toMatchObject({ connection: { sourceIndex: 1 } });
});

verifies(
  ['n8n-connect-reply', 'n8n-connect-by-name-in-file'],
  'connection_create returns the connection by ids and writes it by names',
  async () => {
    const n8n = await openN8n();
    const ids = await built(n8n, { Start: 'n8n-nodes-base.manualTrigger', Fields: SET });
    const reply = await connect(n8n, ids['Start'] as string, ids['Fields'] as string);
    expect(reply).toMatchObject({
      success: true,
      connection: { sourceNodeId: ids['Start'], targetNodeId: ids['Fields'], sourceOutput: 'main', targetInput: 'main' },
    });
    const file = n8n.json('flow.json') as unknown as Data;
    expect(file.connections).toEqual({ Start: { main: [[{ node: 'Fields', type: 'main', index: 0 }]] } });
    expect(reply['workflowData']).toEqual(file);
    const again = await connect(n8n, 'Start', 'Fields');
    expect(again['warnings']).toEqual(['The two were connected like this already']);
    expect(n8n.json('flow.json')).toEqual(file);
    for (const missing of ['workflowId', 'sourceNodeId', 'targetNodeId']) {
      const { [missing]: _left, ...rest } = { workflowId: 'flow', sourceNodeId: 'Start', targetNodeId: 'Fields' } as Record<string, string>;
      expect(await n8n.refused('connection_create', rest)).toMatchObject({
        code: 'INVALID_TOOL_PARAMETERS',
        message: `${missing} is required`,
      });
    }
  },
);

test('ports go by their names, kinds and indexes', async () => {
  const n8n = await openN8n();
  await built(n8n, {
    If: 'n8n-nodes-base.if',
    A: SET,
    B: SET,
    Merge: 'n8n-nodes-base.merge',
    Agent: '@n8n/n8n-nodes-langchain.agent',
    Model: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    Tool: '@n8n/n8n-nodes-langchain.toolCode',
  });
  await connect(n8n, 'If', 'A', { sourceOutput: 'TRUE' });
  await connect(n8n, 'If', 'B', { sourceOutput: 'false' });
  await connect(n8n, 'A', 'Merge');
  await connect(n8n, 'B', 'Merge');
  await connect(n8n, 'Model', 'Agent');
  await connect(n8n, 'Tool', 'Agent', { sourceOutput: 'ai_tool' });
  expect(await connect(n8n, 'A', 'B', { sourceOutput: 'error' })).toMatchObject({
    warnings: ['A now sends errors to its error output (onError: continueErrorOutput)'],
  });
  await connect(n8n, 'Merge', 'Agent', { sourceOutput: 'main[0]', targetInput: '0' });
  expect(n8n.json('flow.json')['connections']).toEqual({
    If: { main: [[{ node: 'A', type: 'main', index: 0 }], [{ node: 'B', type: 'main', index: 0 }]] },
    A: { main: [[{ node: 'Merge', type: 'main', index: 0 }], [{ node: 'B', type: 'main', index: 0 }]] },
    B: { main: [[{ node: 'Merge', type: 'main', index: 1 }]] },
    Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
    Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
    Merge: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
  });
});

verifies('n8n-connect-impossible', 'an impossible port is refused with the legal ones', async () => {
  const n8n = await openN8n();
  await built(n8n, {
    Start: 'n8n-nodes-base.manualTrigger',
    If: 'n8n-nodes-base.if',
    A: SET,
    Agent: '@n8n/n8n-nodes-langchain.agent',
    Model: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    Model2: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
  });
  await connect(n8n, 'Model', 'Agent');
  const before = n8n.read('flow.json');
  const refused = (sourceNodeId: string, targetNodeId: string, ports: Record<string, string> = {}) =>
    n8n.refused('connection_create', { workflowId: 'flow', sourceNodeId, targetNodeId, ...ports });
  expect(await refused('If', 'A', { sourceOutput: 'maybe' })).toEqual({
    message: 'If (n8n-nodes-base.if) has no output "maybe": it has true, false',
    code: 'INVALID_TOOL_PARAMETERS',
    details: expect.objectContaining({ legal: ['true', 'false'] }),
  });
  expect(await refused('If', 'A', { sourceOutput: 'main[2]' })).toMatchObject({ details: { legal: ['true', 'false'] } });
  expect(await refused('A', 'Agent', { targetInput: 'ai_vectorStore' })).toMatchObject({
    details: { legal: ['main', 'ai_languageModel', 'ai_memory', 'ai_tool'] },
  });
  expect(await refused('A', 'Start')).toMatchObject({ message: expect.stringContaining('it has no inputs') });
  expect(await refused('A', 'Agent', { targetInput: 'ai_tool' })).toMatchObject({ message: expect.any(String) });
  expect(await refused('Agent', 'Model')).toMatchObject({ message: expect.any(String) });
  expect(await refused('Model2', 'Agent')).toMatchObject({ message: expect.stringContaining('takes 1 and has Model') });
  expect(n8n.read('flow.json')).toBe(before);
});

verifies('n8n-replace-reply', 'node_replace gives the node the type and parameters and reports connections as strings', async () => {
  const n8n = await openN8n();
  const ids = await built(n8n, { Start: 'n8n-nodes-base.manualTrigger', Check: 'n8n-nodes-base.if', Yes: SET, No: SET });
  await connect(n8n, 'Start', 'Check');
  await connect(n8n, 'Check', 'Yes', { sourceOutput: 'true' });
  await connect(n8n, 'Check', 'No', { sourceOutput: 'false' });
  await n8n.done('node_update', { workflowId: 'flow', nodeId: 'Check', parameters: { conditions: { a: 1 } } });
  const reply = await n8n.done('node_replace', {
    workflowId: 'flow',
    targetNodeId: ids['Check'] as string,
    newNodeType: 'n8n-nodes-base.filter',
    parameters: { options: { ignoreCase: true } },
  });
  expect(reply).toMatchObject({
    success: true,
    nodeId: ids['Check'],
    compatibilityReport: {
      maintainedConnections: ['Start (main) → Check (main)', 'Check (true) → Yes (main)'],
      removedConnections: ['Check (false) → No (main)'],
    },
  });
  const file = n8n.json('flow.json') as unknown as Data;
  expect(reply['workflowData']).toEqual(file);
  expect(file.nodes[1]).toMatchObject({
    id: ids['Check'],
    name: 'Check',
    type: 'n8n-nodes-base.filter',
    parameters: { conditions: { a: 1 }, options: { ignoreCase: true } },
  });
  expect(file.connections['Check']).toEqual({ main: [[{ node: 'Yes', type: 'main', index: 0 }]] });
  for (const missing of ['workflowId', 'targetNodeId', 'newNodeType']) {
    const { [missing]: _left, ...rest } = { workflowId: 'flow', targetNodeId: 'Check', newNodeType: SET } as Record<string, string>;
    expect(await n8n.refused('node_replace', rest)).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS', message: `${missing} is required` });
  }
});

test('a replaced node that had the name of its type gets the name of the new one, in expressions too', async () => {
  const n8n = await openN8n();
  await n8n.done('workflow_create', { name: 'flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: 'n8n-nodes-base.if' });
  await n8n.done('node_add', {
    workflowId: 'flow',
    nodeType: 'n8n-nodes-base.httpRequest',
    parameters: { url: "={{ $('If').item.json.a }}" },
  });
  await connect(n8n, 'If', 'HTTP Request');
  await n8n.done('node_replace', { workflowId: 'flow', targetNodeId: 'If', newNodeType: 'n8n-nodes-base.filter' });
  const file = n8n.json('flow.json') as unknown as Data;
  expect(file.nodes.map((node) => node.name)).toEqual(['Filter', 'HTTP Request']);
  expect(file.nodes[1]?.parameters['url']).toBe("={{ $('Filter').item.json.a }}");
  expect(Object.keys(file.connections)).toEqual(['Filter']);
});

verifies('n8n-edit-extras', 'node_update, node_remove, connection_remove and workflow_undo do what they say and nothing else', async () => {
  const n8n = await openN8n();
  const ids = await built(n8n, { Start: 'n8n-nodes-base.manualTrigger', Check: 'n8n-nodes-base.if', 'Old name': SET, B: SET });
  await connect(n8n, 'Start', 'Check');
  await connect(n8n, 'Check', 'Old name', { sourceOutput: 'true' });
  await connect(n8n, 'Check', 'B', { sourceOutput: 'false' });
  await connect(n8n, 'Check', 'B', { sourceOutput: 'true' });
  await connect(n8n, 'Old name', 'B');
  await n8n.done('node_update', {
    workflowId: 'flow',
    nodeId: 'B',
    parameters: { mode: `={{ $node["Old name"].json.a + $('Old name').first() }}` },
  });
  const states = [n8n.read('flow.json')];
  const step = async (tool: string, parameters: Record<string, unknown>) => {
    const reply = await n8n.done(tool, { workflowId: 'flow', ...parameters });
    states.push(n8n.read('flow.json'));
    return { reply, file: n8n.json('flow.json') as unknown as Data };
  };

  const renamed = await step('node_update', { nodeId: 'Old name', name: "It's new" });
  expect(renamed.file.nodes[3]?.parameters['mode']).toBe(`={{ $node["It's new"].json.a + $('It\\'s new').first() }}`);
  expect(renamed.file.connections).toMatchObject({
    "It's new": { main: [[{ node: 'B' }]] },
    Check: { main: [[{ node: "It's new" }, { node: 'B' }], [{ node: 'B' }]] },
  });
  const updated = await step('node_update', { nodeId: 'B', parameters: { mode: null, assignments: { a: 1 } }, disabled: true });
  expect(updated.file.nodes[3]).toMatchObject({ disabled: true, parameters: { options: {}, assignments: { a: 1 } } });
  expect(updated.file.nodes.slice(0, 3)).toEqual(renamed.file.nodes.slice(0, 3));
  expect(await n8n.refused('node_update', { workflowId: 'flow', nodeId: 'B', name: 'Start' })).toMatchObject({
    message: 'There is a node called "Start" already',
  });
  expect(await n8n.refused('node_update', { workflowId: 'flow', nodeId: 'B' })).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS' });

  expect(await n8n.refused('connection_remove', { workflowId: 'flow', sourceNodeId: 'Check', targetNodeId: 'B' })).toMatchObject({
    details: { connections: ['Check (main) → B (main)', 'Check (main[1]) → B (main)'] },
  });
  const cut = await step('connection_remove', { sourceNodeId: 'Check', targetNodeId: 'B', sourceOutput: 'true' });
  expect(cut.reply).toMatchObject({
    connection: { sourceNodeId: ids['Check'], targetNodeId: ids['B'], sourceOutput: 'true', targetInput: 'main' },
  });
  expect(cut.file.connections['Check']).toMatchObject({ main: [[{ node: "It's new" }], [{ node: 'B' }]] });
  expect(await n8n.refused('connection_remove', { workflowId: 'flow', sourceNodeId: 'B', targetNodeId: 'Start' })).toMatchObject({
    code: 'TOOL_EXECUTION_ERROR',
  });

  const removed = await step('node_remove', { nodeId: ids['Old name'] });
  expect(removed.reply).toMatchObject({
    success: true,
    removedConnections: ["Check (main) → It's new (main)", "It's new (main) → B (main)"],
  });
  expect(removed.file.nodes.map((node) => node.name)).toEqual(['Start', 'Check', 'B']);
  expect(removed.file.connections).toEqual({
    Start: { main: [[{ node: 'Check', type: 'main', index: 0 }]] },
    Check: { main: [[], [{ node: 'B', type: 'main', index: 0 }]] },
  });

  expect(await n8n.done('workflow_undo', { workflowId: 'flow' })).toMatchObject({ success: true, undone: ['node_remove'] });
  expect(n8n.read('flow.json')).toBe(states[3]);
  expect(await n8n.done('workflow_undo', { workflowId: 'flow', steps: 3 })).toMatchObject({
    undone: ['connection_remove', 'node_update', 'node_update'],
  });
  expect(n8n.read('flow.json')).toBe(states[0]);
  expect(await n8n.refused('workflow_undo', { workflowId: 'flow', steps: 100 })).toMatchObject({
    details: { available: expect.any(Number) },
  });
  n8n.write('flow.json', n8n.read('flow.json').replace('"Start"', '"Begin"'));
  expect(await n8n.refused('workflow_undo', { workflowId: 'flow' })).toMatchObject({
    message: expect.stringContaining('changed by something else'),
  });
});

verifies('n8n-repair', 'workflow_repair fixes a damaged file and reports what it did, dryRun writes nothing', async () => {
  const n8n = await openN8n();
  const text = JSON.stringify({
    name: 'Damaged',
    nodes: [
      { id: 'n1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
      { id: 'n2', name: 'Fields', type: SET, position: { x: 200, y: 10 }, parameters: {} },
      { name: 'Fields', type: SET, typeVersion: 3, position: [400, 0], parameters: {} },
    ],
    connections: {
      n1: [{ node: 'n2', type: 'main', index: 0 }],
      Fields: { main: [[{ node: 'Gone', type: 'main', index: 0 }]] },
      Nobody: { main: [[{ node: 'Start', type: 'main', index: 0 }]] },
    },
    settings: {},
  });
  n8n.write('damaged.json', text);
  expect(await n8n.refused('node_add', { workflowId: 'Damaged', nodeType: SET })).toMatchObject({
    message: expect.stringContaining('Run workflow_repair first'),
  });
  const dry = await n8n.done('workflow_repair', { workflowId: 'Damaged', dryRun: true });
  expect(dry['changed']).toBe(true);
  expect(n8n.read('damaged.json')).toBe(text);
  const reply = await n8n.done('workflow_repair', { workflowId: 'Damaged' });
  const repairs = reply['repairs'] as unknown as { code: string }[];
  expect(new Set(repairs.map((repair) => repair.code))).toEqual(
    new Set(['bad_position', 'duplicate_name', 'missing_id', 'connection_by_id', 'flat_connections', 'dangling_connection']),
  );
  for (const repair of repairs) expect(Object.keys(repair)).toEqual(['code', 'node', 'path', 'message', 'fix']);
  const file = n8n.json('damaged.json') as unknown as Data;
  expect(reply['workflowData']).toEqual(file);
  expect(file.connections).toEqual({ Start: { main: [[{ node: 'Fields', type: 'main', index: 0 }]] } });
  expect(file.nodes.map((node) => [node.name, node.position])).toEqual([
    ['Start', [0, 0]],
    ['Fields', [200, 10]],
    ['Fields1', [400, 0]],
  ]);
  expect(await n8n.done('workflow_repair', { workflowId: 'Damaged' })).toMatchObject({ changed: false, repairs: [] });
});

verifies('n8n-diagram', 'workflow_diagram draws mermaid and svg', async () => {
  const n8n = await openN8n();
  await built(n8n, {
    Start: 'n8n-nodes-base.manualTrigger',
    'Say "hi" <b>': 'n8n-nodes-base.if',
    Model: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    Agent: '@n8n/n8n-nodes-langchain.agent',
  });
  await connect(n8n, 'Start', 'Say "hi" <b>');
  await connect(n8n, 'Say "hi" <b>', 'Agent', { sourceOutput: 'false' });
  await connect(n8n, 'Model', 'Agent');
  expect(await n8n.done('workflow_diagram', { workflowId: 'flow', format: 'mermaid' })).toEqual({
    format: 'mermaid',
    diagram: [
      'flowchart LR',
      '  n0(["Start"])',
      '  n1{"Say #34;hi#34; #60;b#62;"}',
      '  n2["Model"]',
      '  n3["Agent"]',
      '  n0 --> n1',
      '  n1 -->|"false"| n3',
      '  n2 -.->|"Model"| n3',
      '',
    ].join('\n'),
  });
  const { diagram } = await n8n.done('workflow_diagram', { workflowId: 'flow', format: 'svg' });
  expect(diagram).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="[-\d. ]+"/);
  expect(diagram).toContain('Say &#34;hi&#34; &#60;b&#62;');
  expect(diagram).not.toContain('<b>');
});
