import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

describe('workflow_create', () => {
  verifies('n8n-create-reply', 'requires name and returns workflowId and workflowData', async () => {
    const n8n = await openN8n();
    const reply = await n8n.done('workflow_create', { name: 'Order intake' });
    expect(reply).toMatchObject({ workflowId: expect.any(String), workflowData: { name: 'Order intake', nodes: [], connections: {} } });
    expect(n8n.json('order-intake.json')).toEqual(reply['workflowData']);
    expect(await n8n.refused('workflow_create', {})).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS', message: 'name is required' });
  });

  verifies('n8n-create-options', 'keeps description, active and settings', async () => {
    const n8n = await openN8n();
    const reply = await n8n.done('workflow_create', {
      name: 'Order intake',
      description: 'Takes orders',
      active: true,
      settings: { timezone: 'Europe/Berlin' },
    });
    expect(n8n.json('order-intake.json')).toMatchObject({
      description: 'Takes orders',
      active: true,
      settings: { timezone: 'Europe/Berlin', executionOrder: 'v1' },
    });
    expect(reply['workflowData']).toEqual(n8n.json('order-intake.json'));
  });

  test('two workflows of one name get a file and an id each', async () => {
    const n8n = await openN8n();
    const first = await n8n.done('workflow_create', { name: 'Same' });
    const second = await n8n.done('workflow_create', { name: 'Same' });
    expect(first['workflowId']).not.toBe(second['workflowId']);
    expect(readdirSync(n8n.root).sort()).toEqual(['same-2.json', 'same.json']);
  });
});

const WORKFLOW = { name: 'Saved', nodes: [], connections: {}, settings: {}, id: 'w1' };

describe('workflow_save and workflow_load', () => {
  verifies(['n8n-save-reply', 'n8n-load-reply'], 'write and read a file', async () => {
    const n8n = await openN8n();
    expect(await n8n.done('workflow_save', { workflowId: 'w1', workflowData: WORKFLOW, filePath: 'sub/saved.json' })).toEqual({
      success: true,
      filePath: 'sub/saved.json',
    });
    expect(n8n.json('sub/saved.json')).toEqual(WORKFLOW);
    for (const named of ['sub/saved.json', join(n8n.root, 'sub/saved.json'), 'workflows/sub/saved.json', 'w1', 'Saved']) {
      expect(await n8n.done('workflow_load', { workflowIdOrPath: named })).toEqual({ workflowId: 'w1', workflowData: WORKFLOW });
    }
    for (const missing of ['workflowId', 'workflowData', 'filePath']) {
      const { [missing]: _left, ...rest } = { workflowId: 'w1', workflowData: WORKFLOW, filePath: 'x.json' } as Record<string, unknown>;
      expect(await n8n.refused('workflow_save', rest)).toMatchObject({
        code: 'INVALID_TOOL_PARAMETERS',
        message: `${missing} is required`,
      });
    }
    expect(await n8n.refused('workflow_load', {})).toMatchObject({ message: 'workflowIdOrPath is required' });
  });

  test('data without an id gets workflowId, unless that is only its path', async () => {
    const n8n = await openN8n();
    const { id: _none, ...data } = WORKFLOW;
    await n8n.done('workflow_save', { workflowId: 'chosen-1', workflowData: data, filePath: 'a.json' });
    expect(n8n.json('a.json')).toMatchObject({ id: 'chosen-1' });
    await n8n.done('workflow_save', { workflowId: 'b.json', workflowData: data, filePath: 'b.json' });
    expect(n8n.json('b.json')).toEqual(data);
  });

  verifies('n8n-load-bad-file', 'say what is wrong with a file and leave it alone', async () => {
    const n8n = await openN8n();
    n8n.write('broken.json', '{\n  "nodes": [,]\n}');
    n8n.write('package.json', { name: 'x', version: '1' });
    n8n.write('flowise.json', { nodes: [{ id: 'a', type: 'customNode' }], edges: [] });
    n8n.write('many.json', [WORKFLOW, WORKFLOW]);
    n8n.write('utf16.json', Buffer.from('\ufeff{}', 'utf16le').toString('latin1'));
    writeFileSync(join(n8n.root, 'utf16.json'), Buffer.from('\ufeff{}', 'utf16le'));
    writeFileSync(join(n8n.root, 'large.json'), `{"nodes":[],"connections":{},"x":"${'x'.repeat(50 * 1024 * 1024)}"}`);
    n8n.write('deep.json', `{"nodes":[],"connections":{},"x":${'['.repeat(5000)}${']'.repeat(5000)}}`);
    mkdirSync(join(n8n.root, 'folder.json'));
    const before = readdirSync(n8n.root).map((name) => statSync(join(n8n.root, name)).mtimeMs);
    const load = async (named: string) => {
      const { message, code } = await n8n.refused('workflow_load', { workflowIdOrPath: named });
      expect(code).toBe('TOOL_EXECUTION_ERROR');
      return message;
    };
    expect(await load('missing.json')).toBe('There is no workflow "missing.json"');
    expect(await load('broken.json')).toBe('broken.json is not valid JSON: line 2, column 13: expected a value or ]');
    expect(await load('package.json')).toBe('package.json is not an n8n workflow: it has no list of nodes');
    expect(await load('flowise.json')).toContain('as a Flowise flow has');
    expect(await load('many.json')).toContain('a list of 2 workflows');
    expect(await load('utf16.json')).toContain('UTF-16');
    expect(await load('large.json')).toContain('too large for a workflow: 50 MB');
    expect(await load('deep.json')).toContain('nested more than 400 levels deep');
    expect(await load('folder.json')).toBe('folder.json is not a file');
    expect(readdirSync(n8n.root).map((name) => statSync(join(n8n.root, name)).mtimeMs)).toEqual(before);
  });

  test('do not overwrite a file that is not a workflow', async () => {
    const n8n = await openN8n();
    n8n.write('package.json', '{"name":"x"}');
    n8n.write('broken.json', '{');
    for (const filePath of ['package.json', 'broken.json']) {
      const before = n8n.read(filePath);
      await n8n.refused('workflow_save', { workflowId: 'w1', workflowData: WORKFLOW, filePath });
      expect(n8n.read(filePath)).toBe(before);
    }
    expect(await n8n.refused('workflow_save', { workflowId: 'w', workflowData: { a: 1 }, filePath: 'x.json' })).toMatchObject({
      code: 'INVALID_TOOL_PARAMETERS',
      message: 'workflowData is not an n8n workflow: it has no list of nodes',
    });
    expect(await n8n.refused('workflow_save', { workflowId: 'w', workflowData: WORKFLOW, filePath: 'x.txt' })).toMatchObject({
      message: 'filePath must end in .json',
    });
  });
});

describe('workflow_list', () => {
  verifies(['n8n-list-reply', 'n8n-list-directory'], 'lists the workflows folder, or the folder named', async () => {
    const n8n = await openN8n();
    const path = n8n.write('one.json', { ...WORKFLOW, id: 'one', name: 'One' });
    n8n.write('team/two.json', { ...WORKFLOW, id: 'two', name: 'Two' });
    n8n.write('team/three.json', { name: 'Three', nodes: [], connections: {} });
    n8n.write('notes.json', { not: 'a workflow' });
    n8n.write('broken.json', '{');
    n8n.write('one.test.json', { tests: [] });
    const all = await n8n.done('workflow_list', {});
    expect(all).toMatchObject({ total: 3, skipped: [{ path: join(n8n.root, 'broken.json'), reason: expect.stringContaining('line 1') }] });
    expect(all['workflows']).toContainEqual({ id: 'one', name: 'One', path, lastModified: statSync(path).mtime.toISOString() });
    const team = await n8n.done('workflow_list', { directoryPath: 'team' });
    expect(team).toEqual({
      workflows: [
        { id: 'team/three.json', name: 'Three', path: join(n8n.root, 'team/three.json'), lastModified: expect.any(String) },
        { id: 'two', name: 'Two', path: join(n8n.root, 'team/two.json'), lastModified: expect.any(String) },
      ],
      total: 2,
    });
    expect(await n8n.done('workflow_list', { directoryPath: 'workflows/team' })).toEqual(team);
    expect(await n8n.refused('workflow_list', { directoryPath: 'nowhere' })).toMatchObject({ message: 'There is no folder "nowhere"' });
  });

  verifies('n8n-list-paging', 'pages by limit and offset', async () => {
    const n8n = await openN8n();
    for (let index = 0; index < 23; index++) n8n.write(`w${String(index).padStart(2, '0')}.json`, { ...WORKFLOW, id: `id${index}` });
    for (const limit of [1, 5, 7, 23, 100]) {
      const seen: string[] = [];
      for (let offset = 0; offset < 30; offset += limit) {
        const page = (await n8n.done('workflow_list', { limit, offset })) as unknown as { workflows: { id: string }[]; total: number };
        expect(page.total).toBe(23);
        expect(page.workflows.length).toBe(Math.max(0, Math.min(limit, 23 - offset)));
        seen.push(...page.workflows.map(({ id }) => id));
      }
      expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => `id${index}`));
    }
    expect(await n8n.refused('workflow_list', { limit: 0 })).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS' });
    expect(await n8n.refused('workflow_list', { offset: -1 })).toMatchObject({ code: 'INVALID_TOOL_PARAMETERS' });
  });
});

verifies('n8n-naming', 'a workflow goes by id, name or path and a node by id or name; an unknown one changes nothing', async () => {
  const n8n = await openN8n();
  const nodes = [
    { id: 'a-1', name: 'First', type: 'n8n-nodes-base.set', typeVersion: 2, position: [0, 0], parameters: {} },
    { id: 'b-1', name: 'Second', type: 'n8n-nodes-base.set', typeVersion: 2, position: [200, 0], parameters: {} },
  ];
  n8n.write('team/intake.json', { name: 'Order intake', nodes, connections: {}, id: 'wf-77' });
  for (const workflowId of ['wf-77', 'Order intake', 'team/intake.json', join(n8n.root, 'team/intake.json'), 'intake', 'order INTAKE']) {
    for (const nodeId of ['a-1', 'First', 'first']) {
      expect(await n8n.done('node_update', { workflowId, nodeId, disabled: true })).toMatchObject({ nodeId: 'a-1' });
    }
  }
  const before = n8n.read('team/intake.json');
  expect(await n8n.refused('node_update', { workflowId: 'Order intakes', nodeId: 'First', disabled: false })).toMatchObject({
    message: 'There is no workflow "Order intakes"',
    details: { nearest: ['Order intake'] },
  });
  expect(await n8n.refused('node_remove', { workflowId: 'wf-77', nodeId: 'Firts' })).toMatchObject({
    message: 'There is no node "Firts" in this workflow',
    details: { nearest: ['First'] },
  });
  expect(n8n.read('team/intake.json')).toBe(before);
  n8n.write('copy.json', { name: 'Order intake', nodes: [], connections: {}, id: 'wf-77' });
  for (const workflowId of ['wf-77', 'Order intake']) {
    expect(await n8n.refused('node_update', { workflowId, nodeId: 'First', disabled: false })).toMatchObject({
      details: { paths: ['copy.json', 'team/intake.json'] },
    });
  }
  expect(await n8n.done('workflow_load', { workflowIdOrPath: 'copy.json' })).toMatchObject({ workflowId: 'copy.json' });
});

test('a workflow that a symlink leads to is that workflow', async () => {
  const n8n = await openN8n();
  n8n.write('real.json', WORKFLOW);
  symlinkSync(join(n8n.root, 'real.json'), join(n8n.root, 'link.json'));
  await n8n.done('node_add', { workflowId: 'link.json', nodeType: 'n8n-nodes-base.set' });
  expect(n8n.json('real.json')['nodes']).toHaveLength(1);
  expect(await n8n.done('workflow_list', {})).toMatchObject({ total: 1 });
});
