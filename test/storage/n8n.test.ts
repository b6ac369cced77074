import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type N8nTables, n8nMigrations } from '@millrace/n8n/migrations';
import { n8nToolset } from '@millrace/n8n/toolset';
import type { Store } from '@millrace/storage';
import { expect, onTestFinished } from 'vitest';
import { History, NO_FILE } from '../../toolsets/n8n/document/files/history.ts';
import { Links } from '../../toolsets/n8n/remote/links.ts';
import { n8nSettings } from '../../toolsets/n8n/settings.ts';
import { smallPack } from '../../toolsets/n8n/testing/toolset.ts';
import { testCatalog } from '../harness/catalog.ts';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase('n8n', (database) => {
  const open = async () => (await database().open({ migrations: n8nMigrations })).store as Store<N8nTables>;

  verifies('kernel-postgres', 'edits are recorded, taken back and forgotten', async () => {
    const history = new History(await open(), database().clock);
    const states = ['{"a":1}', '{"a":"é","b":[]}', '{"b":[1,2]}', '{"b":[1,2]}\n'].map((text) => Buffer.from(text));
    for (const [index, state] of states.slice(1).entries()) await history.record('/x.json', `tool${index}`, states[index] as Buffer, state);
    await (await history.record('/x.json', 'never', states[3] as Buffer, Buffer.from('{}')))();
    await history.record('/other.json', 'tool', states[0] as Buffer, states[3] as Buffer);
    const last = states[3] as Buffer;
    const earlier = await history.undo('/x.json', 'x.json', last, 3);
    expect(earlier.bytes.toString()).toBe('{"a":1}');
    expect(earlier.tools).toEqual(['tool2', 'tool1', 'tool0']);
    await expect(history.undo('/x.json', 'x.json', last, 4)).rejects.toMatchObject({ details: { available: 3 } });
    const undone = await history.undo('/x.json', 'x.json', last, 1);
    await (await undone.keep())();
    await expect(history.redo('/x.json', 'x.json', states[2] as Buffer, 1)).rejects.toMatchObject({ code: 'conflict' });
    await undone.keep();
    await undone.settle();
    expect((await history.undo('/x.json', 'x.json', states[2] as Buffer, 2)).bytes.toString()).toBe('{"a":1}');
    const later = await history.redo('/x.json', 'x.json', states[2] as Buffer, 1);
    expect([later.bytes.toString(), later.tools]).toEqual(['{"b":[1,2]}\n', ['tool2']]);
    await later.keep();
    await later.settle();
    await expect(history.redo('/x.json', 'x.json', last, 1)).rejects.toMatchObject({ code: 'conflict' });
    expect((await history.undo('/x.json', 'x.json', last, 3)).bytes.toString()).toBe('{"a":1}');
    await expect(history.undo('/x.json', 'x.json', Buffer.from('else'), 1)).rejects.toMatchObject({ code: 'conflict' });
  });

  verifies('kernel-postgres', 'the making of a file is taken back and done again', async () => {
    const history = new History(await open(), database().clock);
    const made = Buffer.from('{"é":1}');
    await history.record('/new.json', 'workflow_create', NO_FILE, made);
    const earlier = await history.undo('/new.json', 'new.json', made, 1);
    expect([earlier.isAbsent, earlier.bytes.length]).toEqual([true, 0]);
    await earlier.keep();
    await earlier.settle();
    expect((await history.removedFiles()).map(({ path, bytes }) => [path, bytes.toString()])).toEqual([['/new.json', '{"é":1}']]);
    const later = await history.redo('/new.json', 'new.json', NO_FILE, 1);
    expect([later.isAbsent, later.bytes.toString()]).toEqual([false, '{"é":1}']);
    await history.forgetUndone('/new.json');
    expect(await history.removedFiles()).toEqual([]);
  });

  verifies('kernel-postgres', 'only the last edits of a file are kept', async () => {
    const history = new History(await open(), database().clock);
    const at = (index: number) => Buffer.from(`{"n":${index}}`);
    for (let index = 0; index < 203; index++) await history.record('/x.json', 'tool', at(index), at(index + 1));
    expect((await history.undo('/x.json', 'x.json', at(203), 200)).bytes.toString()).toBe('{"n":3}');
    await expect(history.undo('/x.json', 'x.json', at(203), 201)).rejects.toMatchObject({ details: { available: 200 } });
  });

  verifies('kernel-postgres', 'what a file is on an instance is remembered', async () => {
    const links = new Links(await open(), database().clock);
    await links.remember({ path: '/x.json', remoteId: 'r1', remoteHash: 'h1' }, 'http://a');
    await links.remember({ path: '/x.json', remoteId: 'r2', remoteHash: 'h2' }, 'http://b');
    await links.remember({ path: '/x.json', remoteId: 'r1', remoteHash: 'h3' }, 'http://a');
    expect(await links.ofFile('/x.json', 'http://a')).toEqual({ path: '/x.json', remoteId: 'r1', remoteHash: 'h3' });
    expect(await links.ofRemote('r2', 'http://b')).toEqual({ path: '/x.json', remoteId: 'r2', remoteHash: 'h2' });
    expect(await links.ofFile('/y.json', 'http://a')).toBeUndefined();
  });

  verifies('kernel-postgres', 'replicas that share a folder lose no edit', async () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-n8n-')));
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
    mkdirSync(join(workspace, 'workflows'));
    const path = join(workspace, 'workflows/x.json');
    writeFileSync(path, JSON.stringify({ name: 'x', nodes: [], connections: {}, id: 'x' }));
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const replica = async () =>
      testCatalog([
        n8nToolset({
          home: workspace,
          workspace,
          settings: n8nSettings.schema.parse({}),
          store: await open(),
          clock: database().clock,
          log,
          pack: smallPack,
        }),
      ]);
    const replicas = await Promise.all([replica(), replica()]);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => replicas[index % 2]?.call('node_add', { workflowId: 'x', nodeType: 'n8n-nodes-base.set' })),
    );
    expect(replies.map((reply) => reply?.isError)).toEqual(Array.from({ length: 12 }, () => false));
    expect(JSON.parse(readFileSync(path, 'utf8')).nodes).toHaveLength(12);
    const undone = await replicas[0]?.call('workflow_undo', { workflowId: 'x', steps: 12 });
    expect(undone?.isError).toBe(false);
  });
});
