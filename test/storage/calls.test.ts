import type { JobState, Journal, PendingKey } from '@millrace/kernel';
import { afterEach, expect, test, vi } from 'vitest';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

const DAY = 86_400_000;

onEachDatabase('pending calls', (database) => {
  const key: PendingKey = { userId: 'ada', tool: 'ask_me', argumentsHash: 'h1' };
  const journal = (change: Partial<Journal> = {}): Journal => ({
    id: 'j1',
    answers: { q1: { action: 'accept', value: { sure: true } } },
    effects: { sent: { id: 7 } },
    closed: false,
    ...change,
  });

  test('are found by their arguments and by id, as they were saved', async () => {
    const { pendingCalls } = await database().open();
    expect(await pendingCalls.open(key)).toBeUndefined();
    await pendingCalls.save(journal(), key);
    await pendingCalls.release(journal());
    const other = await database().open();
    expect(await other.pendingCalls.open(key)).toEqual(journal());
    await other.pendingCalls.release(journal());
    expect(await pendingCalls.open({ ...key, id: 'j1' })).toEqual(journal());
  });

  test('belong to one user, one tool and one set of arguments', async () => {
    const { pendingCalls } = await database().open();
    await pendingCalls.save(journal(), key);
    await pendingCalls.release(journal());
    expect(await pendingCalls.open({ ...key, userId: 'bob' })).toBeUndefined();
    expect(await pendingCalls.open({ ...key, userId: 'bob', id: 'j1' })).toBeUndefined();
    expect(await pendingCalls.open({ ...key, tool: 'other', id: 'j1' })).toBeUndefined();
    expect(await pendingCalls.open({ ...key, argumentsHash: 'h2' })).toBeUndefined();
    await expect(pendingCalls.open({ ...key, argumentsHash: 'h2', id: 'j1' })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('that are closed are found by id only', async () => {
    const { pendingCalls } = await database().open();
    const closed = journal({ closed: true, result: { value: 42 } });
    await pendingCalls.save(closed, key);
    await pendingCalls.release(closed);
    expect(await pendingCalls.open(key)).toBeUndefined();
    expect(await pendingCalls.open({ ...key, id: 'j1' })).toEqual(closed);
  });

  test('are worked on by one at a time, until they are released or the lease of 30 seconds ends', async () => {
    const first = await database().open();
    const second = await database().open();
    await first.pendingCalls.save(journal(), key);
    await expect(second.pendingCalls.open(key)).rejects.toMatchObject({ code: 'conflict' });
    await expect(first.pendingCalls.open(key)).rejects.toMatchObject({ code: 'conflict' });
    await first.pendingCalls.release(journal());
    expect(await second.pendingCalls.open(key)).toEqual(journal());
    database().clock.advance(29_999);
    await expect(first.pendingCalls.open(key)).rejects.toMatchObject({ code: 'conflict' });
    database().clock.advance(2);
    expect(await first.pendingCalls.open(key)).toEqual(journal());
  });

  test('cannot be saved by one who has lost the claim, nor released for another', async () => {
    const slow = await database().open();
    const quick = await database().open();
    await slow.pendingCalls.save(journal(), key);
    database().clock.advance(30_001);
    await quick.pendingCalls.open(key);
    await expect(slow.pendingCalls.save(journal({ effects: { twice: 1 } }), key)).rejects.toMatchObject({ code: 'conflict' });
    await slow.pendingCalls.release(journal());
    await expect(slow.pendingCalls.open(key)).rejects.toMatchObject({ code: 'conflict' });
    await quick.pendingCalls.save(journal({ effects: { once: 1 } }), key);
    await quick.pendingCalls.release(journal());
    expect((await slow.pendingCalls.open(key))?.effects).toEqual({ once: 1 });
  });

  test('are claimed by one of many who come at once', async () => {
    const storages = [await database().open(), await database().open()];
    await storages[0]?.pendingCalls.save(journal(), key);
    await storages[0]?.pendingCalls.release(journal());
    const opened = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => storages[index % 2]?.pendingCalls.open(key)));
    expect(opened.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  test('expire after a day, and are cleared away', async () => {
    const { pendingCalls, store } = await database().open();
    await pendingCalls.save(journal(), key);
    await pendingCalls.release(journal());
    database().clock.advance(DAY + 1);
    expect(await pendingCalls.open(key)).toBeUndefined();
    expect(await pendingCalls.open({ ...key, id: 'j1' })).toBeUndefined();
    await pendingCalls.save(journal({ id: 'j2' }), key);
    expect(await store.db.selectFrom('pending_calls').select('id').execute()).toEqual([{ id: 'j2' }]);
  });
});

onEachDatabase('the job journal', (database) => {
  const job = (): JobState => ({
    id: 'job-1',
    tool: 'flowrag_index',
    key: 'docs',
    userId: 'ada',
    status: 'running',
    progress: { done: 0, total: null, message: '' },
    startedAt: database().clock.now(),
    updatedAt: database().clock.now(),
  });

  test('tells how far a job is and how it ended', async () => {
    const { jobs } = await database().open();
    const begun = job();
    await jobs.start(begun);
    expect(await jobs.get('job-1')).toEqual(begun);
    database().clock.advance(1000);
    await jobs.update('job-1', { progress: { done: 3, total: 9, message: 'reading' } });
    const other = await database().open();
    expect(await other.jobs.get('job-1')).toMatchObject({ status: 'running', progress: { done: 3, total: 9, message: 'reading' } });
    await jobs.update('job-1', { status: 'completed' });
    expect(await other.jobs.get('job-1')).toMatchObject({ status: 'completed', updatedAt: database().clock.now() });
    expect(await jobs.get('job-2')).toBeUndefined();
  });

  test('calls a job interrupted whose process is heard of no more', async () => {
    const { jobs } = await database().open();
    await jobs.start(job());
    jobs.close();
    database().clock.advance(60_000);
    expect((await jobs.get('job-1'))?.status).toBe('running');
    database().clock.advance(1);
    expect((await jobs.get('job-1'))?.status).toBe('interrupted');
  });
});

onEachDatabase('limits', (database) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const waits = async (limits: Parameters<Awaited<ReturnType<typeof limiterOf>>['enter']>[2], calls: number) => {
    const limiter = await limiterOf();
    const refused: unknown[] = [];
    for (let call = 0; call < calls; call += 1) {
      await limiter.enter('ada', 'field_request', limits).catch((error) => refused.push(error.details.retryAfterMs));
    }
    return { limiter, refused };
  };
  const limiterOf = async () => (await database().open()).limiter;

  test('let the calls of a minute and the burst through, then refuse with waits that double', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limits = { perMinute: 6, burst: 2, progressiveBackoff: true };
    const { limiter, refused } = await waits(limits, 11);
    expect(refused).toEqual([60_000, 120_000, 240_000]);
    await (await limiter.enter('bob', 'field_request', limits))();
    await (await limiter.enter('ada', 'get_help', limits))();
    vi.advanceTimersByTime(240_001);
    await (await limiter.enter('ada', 'field_request', limits))();
  });

  verifies('kernel-limits-per-user', 'count per user, and for all servers of one Postgres together', async () => {
    const limiters = [await limiterOf(), await limiterOf()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => limiters[n % 2]?.enter('ada', 'field_request', { perMinute: 3 })),
    );
    const passed = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(passed).toBe(database().dialect === 'postgres' ? 3 : 6);
    for (const limiter of limiters)
      await expect(limiter.enter('ada', 'field_request', { perMinute: 3 })).rejects.toMatchObject({ code: 'rate_limited' });
    await (await limiters[0]?.enter('bob', 'field_request', { perMinute: 3 }))?.();
  });

  test('refuse until the minute is over without backoff', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { limiter, refused } = await waits({ perMinute: 3 }, 5);
    expect(refused).toEqual([60_000, 60_000]);
    vi.advanceTimersByTime(60_001);
    await (await limiter.enter('ada', 'field_request', { perMinute: 3 }))();
  });

  test('say what is allowed and when to call again', async () => {
    const { limiter } = await waits({ perMinute: 1 }, 1);
    await expect(limiter.enter('ada', 'field_request', { perMinute: 1 })).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^field_request takes 1 calls? a minute\. Try again in (59|60) seconds$/),
    });
  });

  test('count calls that run at once, not those that have ended', async () => {
    const limiter = await limiterOf();
    const limits = { concurrent: 2 };
    const leave = [await limiter.enter('ada', 'execute_workflow', limits), await limiter.enter('ada', 'execute_workflow', limits)];
    await expect(limiter.enter('ada', 'execute_workflow', limits)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { limit: 'concurrent', retryAfterMs: 1000 },
      fix: { instruction: 'Wait until one of them has finished, then call again' },
    });
    const others = await limiter.enter('bob', 'execute_workflow', limits);
    leave[0]?.();
    leave[0]?.();
    const again = await vi.waitFor(() => limiter.enter('ada', 'execute_workflow', limits));
    await expect(limiter.enter('ada', 'execute_workflow', limits)).rejects.toMatchObject({ code: 'rate_limited' });
    again();
    leave[1]?.();
    others();
  });

  test('give the place of a refused call back', async () => {
    const limiter = await limiterOf();
    const limits = { perMinute: 1, concurrent: 1 };
    (await limiter.enter('ada', 'execute_workflow', limits))();
    for (let call = 0; call < 3; call += 1) {
      await vi.waitFor(() =>
        expect(limiter.enter('ada', 'execute_workflow', limits)).rejects.toMatchObject({ details: { limit: 'perMinute' } }),
      );
    }
  });
});
