import { createHash } from 'node:crypto';
import type { InvocationRecord } from '@millrace/kernel';
import type { AuditRow, Storage } from '@millrace/storage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase('the audit log', (database) => {
  const invocation = (change: Partial<InvocationRecord> = {}): InvocationRecord => ({
    id: crypto.randomUUID(),
    userId: 'owner',
    messageId: null,
    parentId: null,
    tool: 'read_todos',
    parameters: { status: 'open' },
    result: { todos: [] },
    status: 'success',
    errorCode: null,
    durationMs: 1.25,
    at: database().clock.now(),
    ...change,
  });

  verifies('kernel-audit-row', 'keeps every field of a call', async () => {
    const { audit } = await database().open();
    const record = invocation({ messageId: 'm1', parentId: 'p1', status: 'failure', errorCode: 'not_found', result: { error: 'no' } });
    await audit.record(record);
    expect(await audit.read()).toEqual({ rows: [record] });
  });

  test('is there for another process at once', async () => {
    const first = await database().open();
    const second = await database().open();
    await first.audit.record(invocation({ id: 'seen' }));
    expect((await second.audit.read()).rows.map((row) => row.id)).toEqual(['seen']);
  });

  const kept = async (parameters: unknown): Promise<unknown> => {
    const { audit } = await database().open();
    database().clock.advance(1);
    await audit.record(invocation({ parameters, result: parameters }));
    const [row] = (await audit.read()).rows;
    expect(row?.result).toEqual(row?.parameters);
    return row?.parameters;
  };

  verifies('kernel-audit-redaction', 'keeps no secrets, whatever the case and depth of their keys', async () => {
    const secrets = {
      Token: 'a',
      access_token: 'b',
      clientSecret: 'c',
      PASSWORD: 'd',
      api_key: 'e',
      apikey: 'f',
      'X-Api-Key': 'g',
      Authorization: 'Bearer h',
      credential: { user: 'i' },
      'set-cookie': ['j'],
    };
    const redacted = Object.fromEntries(Object.keys(secrets).map((key) => [key, '[redacted]']));
    expect(
      await kept({ plain: 'x', deep: [{ er: secrets }], text: JSON.stringify({ password: 'k' }), max_tokens: 5, token: null }),
    ).toEqual({
      plain: 'x',
      deep: [{ er: redacted }],
      text: '{"password":"[redacted]"}',
      max_tokens: 5,
      token: null,
    });
  });

  test('keeps neither the user nor the secret parameters of an address, wherever it stands', async () => {
    expect(
      await kept({
        url: 'https://anna:HUSH@example.com/path?api_key=HUSH&page=2&key=HUSH#part',
        text: 'See postgres://u:p%40HUSH@db/x and "https://x.example/?access_token=HUSH", but not mail@example.com?subject=Hello.',
        nested: JSON.stringify({ link: 'https://a:HUSH@b/?signature=HUSH' }),
      }),
    ).toEqual({
      url: 'https://[redacted]@example.com/path?api_key=[redacted]&page=2&key=[redacted]#part',
      text: 'See postgres://[redacted]@db/x and "https://x.example/?access_token=[redacted]", but not mail@example.com?subject=Hello.',
      nested: '{"link":"https://[redacted]@b/?signature=[redacted]"}',
    });
  });

  test('keeps no secret that is written as a pair or inside a sentence', async () => {
    const header = (name: string, value: string) => ({ name, value });
    expect(
      await kept({
        headers: [header('Authorization', 'Bearer HUSH'), header('X-Api-Key', 'HUSH'), header('Accept', 'text/plain')],
        text: 'call it with "Bearer HUSHHUSH.abc" or api_key=HUSHHUSH, then change the password tomorrow',
      }),
    ).toEqual({
      headers: [header('Authorization', '[redacted]'), header('X-Api-Key', '[redacted]'), header('Accept', 'text/plain')],
      text: 'call it with "Bearer [redacted]" or api_key=[redacted], then change the password tomorrow',
    });
  });

  test('keeps no configured secret, wherever it stands', async () => {
    const { audit } = await database().open({ secrets: ['hush-1234', 'quo"ted\\secret'] });
    const said = { note: 'my key is hush-1234, and the other is quo"ted\\secret', 'hush-1234': 1 };
    await audit.record(invocation({ parameters: said, result: JSON.stringify({ key: 'hush-1234' }) }));
    const [row] = (await audit.read()).rows;
    expect(row?.parameters).toEqual({ note: 'my key is [redacted], and the other is [redacted]', '[redacted]': 1 });
    expect(JSON.stringify(row?.result)).not.toContain('hush');
  });

  verifies('kernel-audit-redaction', 'lets no secret through in any value', async () => {
    const { audit, close } = await database().open();
    const key = fc.constantFrom(
      'token',
      'Secret',
      'PASSWORD',
      'api_key',
      'apiKey',
      'x-api-key',
      'authorization',
      'credentials',
      'Cookie',
      'refresh_token',
    );
    const secret = fc.stringMatching(/^hush-[a-z0-9]{12}$/);
    const place = fc.array(fc.constantFrom('object', 'list', 'text'), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(key, secret, place, fc.jsonValue(), async (name, value, path, other) => {
        const inner: unknown = { other, [name]: value };
        const parameters = path.reduce(
          (held, kind) => (kind === 'object' ? { held } : kind === 'list' ? [held] : { held: JSON.stringify(held) }),
          inner,
        );
        const id = crypto.randomUUID();
        database().clock.advance(1);
        await audit.record(invocation({ id, parameters, result: { echo: parameters } }));
        const { rows } = await audit.read({}, { limit: 1 });
        expect(rows[0]?.id).toBe(id);
        expect(JSON.stringify(rows)).not.toContain(value);
      }),
      { numRuns: 60 },
    );
    await close();
  });

  verifies('kernel-audit-truncation', 'cuts what is longer than 16 KB, and says how long it was', async () => {
    const short = { text: 'x'.repeat(16 * 1024 - 11) };
    expect(Buffer.byteLength(JSON.stringify(short))).toBe(16 * 1024);
    expect(await kept(short)).toEqual(short);
    const long = { text: 'ä'.repeat(10_000) };
    const json = JSON.stringify(long);
    expect(await kept(long)).toEqual({
      truncated: true,
      bytes: Buffer.byteLength(json),
      sha256: createHash('sha256').update(json).digest('hex'),
      head: json.slice(0, 1024),
    });
  });

  test('never throws for a value that cannot be written down', async () => {
    const circular: Record<string, unknown> = { a: 1 };
    circular.self = circular;
    expect(await kept(circular)).toEqual({ unserialisable: true, reason: 'TypeError' });
    expect(await kept({ big: 10n })).toEqual({ big: '10' });
    let deep: unknown = 0;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    expect(await kept(deep)).toEqual({ unserialisable: true, reason: 'RangeError' });
    const hostile = {
      get a() {
        throw 'no';
      },
    };
    expect(await kept(hostile)).toEqual({ unserialisable: true, reason: 'string' });
    expect(await kept(undefined)).toBeNull();
    expect(await kept({ text: 'nul \0, half \ud800' })).toEqual({ text: 'nul \0, half \ud800' });
  });

  const seeded = async (): Promise<Storage> => {
    const storage = await database().open();
    for (let index = 0; index < 10; index += 1) {
      await storage.audit.record(
        invocation({
          id: `call-${index}`,
          userId: index % 2 ? 'ada' : 'owner',
          tool: index % 3 ? 'read_todos' : 'create_todo',
          status: index % 5 ? 'success' : 'failure',
        }),
      );
      if (index % 2) database().clock.advance(1000);
    }
    return storage;
  };
  const ids = (rows: AuditRow[]) => rows.map((row) => Number(row.id.slice('call-'.length)));

  test('is read newest first, filtered', async () => {
    const { audit } = await seeded();
    expect(ids((await audit.read()).rows)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(ids((await audit.read({ userId: 'ada' })).rows)).toEqual([9, 7, 5, 3, 1]);
    expect(ids((await audit.read({ tool: 'create_todo' })).rows)).toEqual([9, 6, 3, 0]);
    expect(ids((await audit.read({ status: 'failure', userId: 'ada' })).rows)).toEqual([5]);
    const since = new Date(database().clock.now().getTime() - 2000);
    expect(ids((await audit.read({ since })).rows)).toEqual([9, 8, 7, 6]);
  });

  test('is read in pages that hold every row once', async () => {
    const { audit } = await seeded();
    const seen: number[] = [];
    let after: Awaited<ReturnType<typeof audit.read>>['next'];
    do {
      const page = await audit.read({}, { limit: 3, ...(after && { after }) });
      seen.push(...ids(page.rows));
      after = page.next;
    } while (after);
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test('is followed: each new row once, in order', async () => {
    const { audit } = await seeded();
    const writer = await database().open();
    const stop = new AbortController();
    const followed: string[] = [];
    const following = (async () => {
      for await (const row of audit.follow({ userId: 'ada' }, { signal: stop.signal, everyMs: 5 })) {
        followed.push(row.id);
        if (followed.length === 3) stop.abort();
      }
    })();
    for (const id of ['a', 'b', 'c']) {
      await writer.audit.record(invocation({ id, userId: 'ada' }));
      await writer.audit.record(invocation({ userId: 'owner' }));
      database().clock.advance(3000);
    }
    await following;
    expect(followed).toEqual(['a', 'b', 'c']);
  });

  verifies('kernel-audit-retention', 'forgets what is older than 90 days, and nothing else', async () => {
    const { audit } = await database().open();
    for (let index = 0; index < 1200; index += 1) await audit.record(invocation());
    database().clock.advance(90 * 86_400_000);
    await audit.record(invocation({ id: 'new' }));
    expect(await audit.purge()).toBe(0);
    database().clock.advance(1);
    expect(await audit.purge()).toBe(1200);
    expect((await audit.read()).rows.map((row) => row.id)).toEqual(['new']);
  });
});
