import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { n8nBench } from '../../testing/bench.ts';

const workflow = (id: string, name = id) => ({ name, nodes: [], connections: {}, id });
const add = { nodeType: 'n8n-nodes-base.set' };

describe('the folders', () => {
  test('need not exist before the first workflow', async () => {
    const n8n = await n8nBench();
    rmSync(n8n.root, { recursive: true });
    expect(await n8n.done('workflow_list', {})).toEqual({ workflows: [], total: 0 });
    await n8n.done('workflow_create', { name: 'First' });
    expect(readdirSync(n8n.root)).toEqual(['first.json']);
  });

  test('may be several, one in another; new workflows go into the first', async () => {
    const n8n = await n8nBench({ settings: { roots: ['workflows/team', 'workflows', 'more'] } });
    mkdirSync(join(n8n.workspace, 'more'));
    writeFileSync(join(n8n.workspace, 'more/c.json'), JSON.stringify(workflow('c')));
    n8n.write('team/a.json', workflow('a'));
    n8n.write('b.json', workflow('b'));
    const { workflows } = (await n8n.done('workflow_list', {})) as unknown as { workflows: { id: string }[] };
    expect(workflows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    await n8n.done('workflow_create', { name: 'New' });
    expect(existsSync(join(n8n.root, 'team/new.json'))).toBe(true);
  });

  test('a path that begins with the name of a root means that root', async () => {
    const n8n = await n8nBench();
    await n8n.done('workflow_save', { workflowId: 'x', workflowData: workflow('x'), filePath: 'workflows/x.json' });
    expect(readdirSync(n8n.root)).toEqual(['x.json']);
  });
});

describe('an edit', () => {
  test('keeps the mode of the file and leaves nothing beside it', async () => {
    const n8n = await n8nBench();
    const path = n8n.write('x.json', workflow('x'));
    chmodSync(path, 0o640);
    writeFileSync(join(n8n.root, '.x.json.tmp'), 'written by a process that was killed');
    await n8n.done('node_add', { workflowId: 'x', ...add });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(n8n.root)).toEqual(['x.json']);
  });

  test('that changes nothing does not write', async () => {
    const n8n = await n8nBench();
    const path = n8n.write('x.json', workflow('x'));
    utimesSync(path, 1000, 1000);
    await n8n.done('workflow_save', { workflowId: 'x', workflowData: workflow('x'), filePath: 'x.json' });
    expect(statSync(path).mtimeMs).toBe(1_000_000);
    expect(await n8n.refused('workflow_undo', { workflowId: 'x' })).toMatchObject({ details: { available: 0 } });
  });

  test('starts over from the current content when something else changes the file meanwhile', async () => {
    const n8n = await n8nBench();
    const path = n8n.write('x.json', workflow('x'));
    let rounds = 0;
    const { workflow: after } = await n8n.toolset.services.workflows.edit('x', 'test', (current) => {
      if (rounds++ === 0) writeFileSync(path, JSON.stringify({ ...workflow('x'), outside: true }));
      current['inside'] = true;
    });
    expect(rounds).toBe(2);
    expect(after).toMatchObject({ outside: true, inside: true });
    expect(n8n.json('x.json')).toEqual(after);
    await n8n.done('workflow_undo', { workflowId: 'x' });
    expect(n8n.json('x.json')).toEqual({ ...workflow('x'), outside: true });
  });

  test('of a file that is changed all the time is given up', async () => {
    const n8n = await n8nBench();
    const path = n8n.write('x.json', workflow('x'));
    let rounds = 0;
    const edit = n8n.toolset.services.workflows.edit('x', 'test', (current) => {
      writeFileSync(path, JSON.stringify({ ...workflow('x'), round: rounds++ }));
      current['inside'] = true;
    });
    await expect(edit).rejects.toMatchObject({ code: 'conflict' });
    expect(n8n.json('x.json')).not.toHaveProperty('inside');
    expect(await n8n.refused('workflow_undo', { workflowId: 'x' })).toMatchObject({ details: { available: 0 } });
  });
});

describe('finding', () => {
  test('notices files that came, went, were renamed and changed', async () => {
    const n8n = await n8nBench();
    const load = (named: string) => n8n.call('workflow_load', { workflowIdOrPath: named });
    n8n.write('a.json', workflow('one', 'One'));
    expect((await load('One')).isError).toBe(false);
    n8n.write('a.json', workflow('two', 'Two, a longer name'));
    expect((await load('Two, a longer name')).isError).toBe(false);
    expect((await load('One')).isError).toBe(true);
    n8n.write('b.json', workflow('three', 'Three'));
    expect((await load('three')).isError).toBe(false);
    rmSync(join(n8n.root, 'b.json'));
    expect((await load('three')).isError).toBe(true);
    n8n.write('sub/c.json', workflow('three', 'Three'));
    expect((await load('Three')).isError).toBe(false);
  });

  test('takes names that look like paths', async () => {
    const n8n = await n8nBench();
    n8n.write('a.json', workflow('one', 'Sync A/B'));
    n8n.write('b.json', workflow('two', '../up.json'));
    expect(await n8n.done('workflow_load', { workflowIdOrPath: 'Sync A/B' })).toMatchObject({ workflowId: 'one' });
    expect(await n8n.done('workflow_load', { workflowIdOrPath: '../up.json' })).toMatchObject({ workflowId: 'two' });
    expect(await n8n.refused('workflow_load', { workflowIdOrPath: '../../up.json' })).toMatchObject({
      message: expect.stringContaining('outside of the workflow folders'),
    });
  });

  test('ignores ids that are not text', async () => {
    const n8n = await n8nBench();
    n8n.write('a.json', { name: 'Number', nodes: [], connections: {}, id: 12 });
    n8n.write('b.json', {
      name: { toString: 1 },
      nodes: [{ type: 'a.b', name: { toString: 1 }, id: [], position: 'x' }],
      connections: {},
      id: { toString: 1 },
    });
    expect(await n8n.done('workflow_load', { workflowIdOrPath: '12' })).toMatchObject({ workflowId: '12' });
    expect(await n8n.done('workflow_load', { workflowIdOrPath: 'b' })).toMatchObject({ workflowId: 'b.json' });
    expect(await n8n.refused('node_add', { workflowId: 'b.json', ...add })).toMatchObject({
      message: expect.stringContaining('Run workflow_repair first'),
    });
    await n8n.done('workflow_repair', { workflowId: 'b.json' });
    await n8n.done('node_add', { workflowId: 'b.json', ...add });
  });
});
