import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

const SET = 'n8n-nodes-base.set';

verifies('n8n-edit-extras', 'what was undone can be redone, until the next edit', async () => {
  const n8n = await openN8n();
  await n8n.done('workflow_create', { name: 'Flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  const two = n8n.read('flow.json');
  await n8n.done('workflow_undo', { workflowId: 'flow', steps: 2 });
  const empty = n8n.read('flow.json');
  expect(await n8n.done('workflow_undo', { workflowId: 'flow', redo: true, steps: 2 })).toMatchObject({ redone: ['node_add', 'node_add'] });
  expect(n8n.read('flow.json')).toBe(two);
  await n8n.done('workflow_undo', { workflowId: 'flow', steps: 2 });
  expect(n8n.read('flow.json')).toBe(empty);
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  expect(await n8n.refused('workflow_undo', { workflowId: 'flow', redo: true })).toMatchObject({
    message: 'flow.json: nothing can be redone: nothing was undone since the last edit',
  });
});

verifies('n8n-edit-extras', 'undoing the making of a workflow removes its file, and redo brings it back', async () => {
  const n8n = await openN8n();
  const { workflowId } = await n8n.done('workflow_create', { name: 'Flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  const text = n8n.read('flow.json');
  const path = join(n8n.root, 'flow.json');
  expect(await n8n.done('workflow_undo', { workflowId, steps: 2 })).toMatchObject({
    undone: ['node_add', 'workflow_create'],
    removed: path,
  });
  expect(existsSync(path)).toBe(false);
  expect(await n8n.refused('workflow_load', { workflowIdOrPath: 'flow' })).toMatchObject({ code: 'TOOL_EXECUTION_ERROR' });
  for (const named of ['flow', 'flow.json', 'Flow', workflowId]) {
    expect(await n8n.done('workflow_undo', { workflowId: named, redo: true, steps: 2 })).toMatchObject({
      redone: ['workflow_create', 'node_add'],
    });
    expect(n8n.read('flow.json')).toBe(text);
    await n8n.done('workflow_undo', { workflowId, steps: 2 });
  }
  await n8n.done('workflow_create', { name: 'Flow' });
  expect(await n8n.refused('workflow_undo', { workflowId: 'flow', redo: true })).toMatchObject({ code: 'TOOL_EXECUTION_ERROR' });
});

verifies('n8n-edit-extras', 'node_update sets what n8n keeps of every node', async () => {
  const n8n = await openN8n();
  await n8n.done('workflow_create', { name: 'Flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  const node = () => (n8n.json('flow.json') as unknown as { nodes: Record<string, unknown>[] }).nodes[0];
  const before = node();
  const settings = {
    onError: 'continueRegularOutput',
    retryOnFail: true,
    maxTries: 3,
    waitBetweenTries: 500,
    alwaysOutputData: true,
    executeOnce: true,
    notes: 'Why',
    notesInFlow: true,
  };
  const credentials = { slackApi: { id: '1', name: 'Slack' } };
  await n8n.done('node_update', { workflowId: 'flow', nodeId: 'Edit Fields', ...settings, credentials, position: [40, 60] });
  expect(node()).toEqual({ ...before, ...settings, credentials, position: [40, 60] });
  await n8n.done('node_update', {
    workflowId: 'flow',
    nodeId: 'Edit Fields',
    onError: 'stopWorkflow',
    retryOnFail: false,
    alwaysOutputData: false,
    executeOnce: false,
    notes: '',
    notesInFlow: false,
    credentials: { slackApi: null },
  });
  expect(node()).toEqual({ ...before, maxTries: 3, waitBetweenTries: 500, position: [40, 60] });
  expect(await n8n.refused('node_update', { workflowId: 'flow', nodeId: 'Edit Fields', onError: 'ignore' })).toMatchObject({
    code: 'INVALID_TOOL_PARAMETERS',
  });
});

verifies('n8n-edit-extras', 'an error output that goes leaves a remark on what was connected to it', async () => {
  const n8n = await openN8n();
  await n8n.done('workflow_create', { name: 'Flow' });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  await n8n.done('node_add', { workflowId: 'flow', nodeType: SET });
  const pair = { workflowId: 'flow', sourceNodeId: 'Edit Fields', targetNodeId: 'Edit Fields1' };
  await n8n.done('connection_create', { ...pair, sourceOutput: 'error' });
  expect(await n8n.done('node_update', { workflowId: 'flow', nodeId: 'Edit Fields', onError: 'stopWorkflow' })).toMatchObject({
    warnings: [expect.stringContaining('leaves from an output that Edit Fields does not have')],
  });
  await n8n.done('connection_remove', pair);
});

test('files that symlinks lead to are listed once, and only below the roots', async () => {
  const n8n = await openN8n();
  const workflow = (name: string) => ({ name, nodes: [], connections: {} });
  n8n.write('real.json', workflow('Real'));
  n8n.write('.kept/hidden.json', workflow('Hidden'));
  n8n.write('deep/one.json', workflow('One'));
  mkdirSync(join(n8n.workspace, 'outside'));
  n8n.write('../outside/secret.json', workflow('Secret'));
  symlinkSync(join(n8n.root, 'real.json'), join(n8n.root, 'a-link.json'));
  symlinkSync(join(n8n.root, '.kept/hidden.json'), join(n8n.root, 'shown.json'));
  symlinkSync(n8n.root, join(n8n.root, 'deep/circle'));
  symlinkSync(join(n8n.workspace, 'outside'), join(n8n.root, 'door'));
  symlinkSync(join(n8n.workspace, 'outside/secret.json'), join(n8n.root, 'secret.json'));
  symlinkSync(join(n8n.root, 'nowhere.json'), join(n8n.root, 'broken.json'));
  const { workflows } = (await n8n.done('workflow_list', {})) as unknown as { workflows: { name: string }[] };
  expect(workflows.map(({ name }) => name).sort()).toEqual(['Hidden', 'One', 'Real']);
});
