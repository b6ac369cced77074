import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openN8n, type TestN8n } from '../../harness/n8n.ts';
import { LAUNCHER } from '../../harness/package.ts';
import { type Answer, cleanEnvironment, StdioProcess } from '../../harness/process.ts';
import { verifies } from '../../requirements.ts';

/** Another server with the same home and workspace. */
function editor({ folder }: TestN8n): StdioProcess {
  return new StdioProcess([LAUNCHER], cleanEnvironment(folder, { MILLRACE_TOOLSETS: 'n8n', MILLRACE_RATE_LIMITS: 'off' }));
}

function addNode(server: StdioProcess, mode: string): Promise<Answer> {
  return server.callTool('node_add', { workflowId: 'shared.json', nodeType: 'n8n-nodes-base.set', parameters: { mode } });
}

async function addNodes(server: StdioProcess, label: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { result, error } = await addNode(server, `${label}-${index}`);
    if (error || result?.isError) throw new Error(JSON.stringify({ result, error }));
  }
}

async function addUntilKilled(server: StdioProcess): Promise<void> {
  while (!(await addNode(server, 'killed')).error);
}

verifies(
  'n8n-parallel-edits',
  'several processes edit one file: every edit is in it, and it is whole at any moment',
  async () => {
    const n8n = await openN8n();
    n8n.write('shared.json', { name: 'shared', nodes: [], connections: {}, id: 'shared' });
    const processes = ['a', 'b', 'c'];
    const each = 15;
    const editors = processes.map(() => editor(n8n));
    const started = editors.map((server, index) => addNodes(server, processes[index] as string, each));
    let running = true;
    const watching = (async () => {
      let looks = 0;
      for (; running; looks++) {
        expect(n8n.json('shared.json')).toMatchObject({ name: 'shared' });
        await sleep(1);
      }
      return looks;
    })();
    const own = Array.from({ length: each }, (_, index) =>
      n8n.done('node_add', { workflowId: 'shared.json', nodeType: 'n8n-nodes-base.set', parameters: { mode: `own-${index}` } }),
    );
    await Promise.all(own);
    await Promise.all(started);
    running = false;
    await Promise.all(editors.map((server) => server.close()));
    expect(await watching).toBeGreaterThan(0);
    const { nodes } = n8n.json('shared.json') as unknown as { nodes: { name: string; id: string; parameters: { mode: string } }[] };
    const expected = [...processes, 'own'].flatMap((label) => Array.from({ length: each }, (_, index) => `${label}-${index}`));
    expect(nodes.map((node) => node.parameters.mode).toSorted()).toEqual(expected.toSorted());
    expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
    expect(readdirSync(n8n.root)).toEqual(['shared.json']);
    const undone = await n8n.done('workflow_undo', { workflowId: 'shared.json', steps: expected.length });
    expect(undone['undone']).toHaveLength(expected.length);
    expect(n8n.json(join('shared.json'))['nodes']).toEqual([]);
  },
  90_000,
);

verifies(
  'n8n-parallel-edits',
  'a process that is killed in the middle of its edits leaves a whole file that can be edited on',
  async () => {
    const n8n = await openN8n();
    n8n.write('shared.json', { name: 'shared', nodes: [], connections: {}, id: 'shared' });
    const count = () => (n8n.json('shared.json') as unknown as { nodes: unknown[] }).nodes.length;
    for (const delay of [0, 3, 11, 26]) {
      const before = count();
      const killed = editor(n8n);
      const adding = addUntilKilled(killed);
      while (count() === before) await sleep(2);
      await sleep(delay);
      await killed.kill();
      await adding;
      const after = count();
      expect(after).toBeGreaterThan(before);
      await n8n.done('node_add', { workflowId: 'shared.json', nodeType: 'n8n-nodes-base.set' });
      expect(count()).toBe(after + 1);
      await n8n.done('workflow_undo', { workflowId: 'shared.json', steps: 2 });
      expect(count()).toBe(after - 1);
    }
    expect(readdirSync(n8n.root)).toEqual(['shared.json']);
  },
  90_000,
);
