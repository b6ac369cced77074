import type { Store } from '@millrace/storage';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { onEachDatabase } from '../../../test/storage/databases.ts';
import type { Chatflow } from '../client/chatflow.ts';
import { type FlowiseTables, flowiseMigrations } from '../migrations.ts';
import { Backups } from './backups.ts';

const chatflow = (change: Partial<Chatflow> = {}): Chatflow => ({
  id: 'flow-1',
  name: 'Größe 🌊 "quoted"',
  type: 'AGENTFLOW',
  deployed: true,
  flowData: `{"nodes":[],"edges":[],"note":"${'x'.repeat(100_000)}"}`,
  settings: { apiConfig: '{"a":1}', category: 'b' },
  ...change,
});

onEachDatabase('flowise backups', (database) => {
  const open = async (instance = 'http://a') => {
    const { store } = await database().open({ migrations: flowiseMigrations });
    return new Backups({ store: store as Store<FlowiseTables>, clock: database().clock, instance });
  };

  verifies('kernel-postgres', 'a kept state comes back as it was', async () => {
    const backups = await open();
    await backups.keep(chatflow(), 'update', 'owner');
    const [note] = await backups.list('flow-1');
    expect(note).toEqual({ id: expect.any(String), name: 'Größe 🌊 "quoted"', reason: 'update', at: '2026-01-04T10:30:00.000Z' });
    const { name, type, deployed, flowData, settings } = chatflow();
    expect((await backups.get('flow-1', note?.id ?? ''))?.fields).toEqual({ name, type, deployed, flowData, ...settings });
  });

  test('the latest is first, also within one moment, and the last twenty are kept', async () => {
    const backups = await open();
    for (let number = 0; number < 25; number++) await backups.keep(chatflow({ name: `n${number}` }), 'update', 'owner');
    const names = (await backups.list('flow-1')).map((note) => note.name);
    expect(names).toHaveLength(20);
    expect(names.slice(0, 2)).toEqual(['n24', 'n23']);
  });

  test('chatflows and instances are kept apart', async () => {
    const here = await open();
    const there = await open('http://b');
    await here.keep(chatflow(), 'delete', 'owner');
    const [note] = await here.list('flow-1');
    expect(await there.list('flow-1')).toEqual([]);
    expect(await there.get('flow-1', note?.id ?? '')).toBeUndefined();
    expect(await here.get('flow-2', note?.id ?? '')).toBeUndefined();
  });

  test('changes that look before they write take turns', async () => {
    const [one, other] = [await open(), await open()];
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside--;
    };
    await Promise.all([one.inTurn('flow-1', work), other.inTurn('flow-1', work), one.inTurn('flow-1', work)]);
    expect(most).toBe(1);
  });
});
