import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processName, processNamed, type Storage } from '@millrace/storage';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isHeld, keepHold, newHolder, withLease } from '../../packages/storage/src/lease.ts';
import { TestClock } from '../harness/databases.ts';
import { onEachDatabase } from './databases.ts';

const ELSEWHERE = 'another-machine/pid:[1] 1 1 a-name a-turn';
/** The name of a process of this machine that has ended. */
const gone = () => processNamed(spawnSync(process.execPath, ['-e', '0']).pid);

test('a row is held by a process that may be alive, until its time is over', () => {
  const clock = new TestClock();
  const until = new Date(clock.time + 1000).toISOString();
  for (const holder of [newHolder(), ELSEWHERE, 'a-name-of-an-earlier-version', 'host|99999999|x', 'host 99999999 x'])
    expect(isHeld({ holder, until }, clock), holder).toBe(true);
  expect(isHeld({ holder: gone(), until }, clock)).toBe(false);
  expect(isHeld({ holder: null, until: null }, clock)).toBe(false);
  clock.advance(1000);
  expect(isHeld({ holder: newHolder(), until }, clock)).toBe(false);
});

test('a hold is lost to another, or when it could not be renewed for as long as it lasts', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new TestClock();
  const renew = async (outcome: boolean | Error, rounds: number) => {
    const kept = keepHold(clock, async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
    for (let round = 0; round < rounds; round += 1) {
      clock.advance(10_000);
      vi.advanceTimersByTime(10_000);
      await sleep(1);
    }
    kept.stop();
    return kept.lost;
  };
  expect((await renew(true, 5)).aborted).toBe(false);
  expect((await renew(false, 1)).reason).toMatchObject({ code: 'conflict' });
  expect((await renew(new Error('busy'), 2)).aborted).toBe(false);
  expect((await renew(new Error('busy'), 3)).reason).toMatchObject({ message: 'busy' });
});

onEachDatabase('a lease', (database) => {
  const open = async () => {
    const storage = await database().open();
    await storage.store.rows(
      sql`CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)`.compile(
        storage.store.db,
      ),
    );
    return storage;
  };
  const at = ({ store }: Storage, clock = database().clock) => ({ table: 'leases', clock, store });
  const hold = async ({ store }: Storage, holder: string) => {
    const expires_at = database().clock.time + 30_000;
    await store.db.insertInto('leases').values({ name: 'door', holder, expires_at }).execute();
  };
  const rows = ({ store }: Storage) => store.db.selectFrom('leases').selectAll().execute();

  test('lets one in at a time, over processes and within one, and leaves no row behind', async () => {
    const storages = [await open(), await open()];
    let inside = 0;
    let most = 0;
    const visit = (storage: Storage) =>
      withLease(at(storage), 'door', {}, async () => {
        most = Math.max(most, ++inside);
        await sleep(1);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 10 }, (_, index) => visit(storages[index % 2] as Storage)));
    expect(most).toBe(1);
    expect(await rows(storages[0] as Storage)).toEqual([]);
  });

  test('is free again when its work fails', async () => {
    const storage = await open();
    await expect(withLease(at(storage), 'door', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLease(at(storage), 'door', {}, async () => 'done')).toBe('done');
  });

  test('of a process of this machine that is gone is taken at once', async () => {
    const storage = await open();
    await hold(storage, gone());
    const onWait = vi.fn();
    expect(await withLease(at(storage), 'door', { onWait }, async () => 'done')).toBe('done');
    expect(onWait).not.toHaveBeenCalled();
  });

  test('of another machine, or of an earlier version, is waited for until it ends; waiting can be cancelled', async () => {
    const storage = await open();
    for (const holder of [ELSEWHERE, 'host|99999999|x', `${processName} another-turn`]) {
      await hold(storage, holder);
      const onWait = vi.fn();
      const cancelled = withLease(at(storage), 'door', { signal: AbortSignal.timeout(100), onWait }, async () => 'done');
      await expect(cancelled).rejects.toThrow();
      expect(onWait).toHaveBeenCalledTimes(1);
      const waiting = withLease(at(storage), 'door', {}, async () => 'done');
      database().clock.advance(30_000);
      expect(await waiting).toBe('done');
    }
  });

  test('is renewed while its work lasts, and lost to whoever takes it over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = await open();
    await withLease(at(storage), 'door', {}, async (lost) => {
      database().clock.advance(10_000);
      vi.advanceTimersByTime(10_000);
      await expect.poll(async () => (await rows(storage))[0]?.expires_at).toBe(database().clock.time + 30_000);
      expect(lost.aborted).toBe(false);
      await storage.store.db.updateTable('leases').set({ holder: ELSEWHERE }).execute();
      vi.advanceTimersByTime(10_000);
      await expect.poll(() => lost.aborted).toBe(true);
    });
    expect(await rows(storage)).toMatchObject([{ holder: ELSEWHERE }]);
  });

  test('whose renewal stops is taken over by one of many, once its time is over', async () => {
    const storages = [await open(), await open()];
    await hold(storages[0] as Storage, `${processName} stopped`);
    let inside = 0;
    let most = 0;
    const visits = Array.from({ length: 6 }, (_, index) =>
      withLease(at(storages[index % 2] as Storage), 'door', {}, async () => {
        most = Math.max(most, ++inside);
        await sleep(1);
        inside -= 1;
      }),
    );
    await sleep(50);
    expect(most).toBe(0);
    database().clock.advance(30_000);
    await Promise.all(visits);
    expect(most).toBe(1);
  });

  test('of a killed process stands in nobody’s way: pending calls and locks too', async () => {
    const { home, databaseUrl } = database().place;
    const index = join(import.meta.dirname, '../../packages/storage/src/index.ts');
    const script = `import { openStorage } from '${index}';
      const storage = await openStorage({ ...${JSON.stringify({ home, databaseUrl })}, migrations: [], clock: { now: () => new Date(${database().clock.time}) } });
      await storage.pendingCalls.save({ id: 'j1', answers: {}, effects: {}, closed: false }, { userId: 'ada', tool: 'ask_me', argumentsHash: 'h1' });
      await storage.store.withLock('door', async () => { console.log('held'); await new Promise((resolve) => setTimeout(resolve, 60_000)); });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const { pendingCalls, store } = await database().open();
    const key = { userId: 'ada', tool: 'ask_me', argumentsHash: 'h1' };
    await expect(pendingCalls.open(key)).rejects.toMatchObject({ code: 'conflict' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const began = performance.now();
    expect(await pendingCalls.open(key)).toMatchObject({ id: 'j1' });
    expect(await store.withLock('door', async () => 'done')).toBe('done');
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
