import { expect, test } from 'vitest';
import { onEachDatabase } from './databases.ts';

onEachDatabase('users', (database) => {
  test('begin with the owner', async () => {
    const { users } = await database().open();
    expect(await users.list()).toEqual([
      { id: 'owner', name: 'owner', level: 'advanced', owner: true, createdAt: database().clock.now(), revokedAt: null },
    ]);
    expect(await users.get('owner')).toEqual({ id: 'owner', name: 'owner', level: 'advanced', owner: true });
  });

  test('are added with a token of 256 bits that is kept only as a hash', async () => {
    const { users, store } = await database().open();
    const { user, token } = await users.add({ name: ' Ada ', level: 'intermediate' });
    expect(user).toMatchObject({ name: 'Ada', level: 'intermediate', owner: false, revokedAt: null });
    expect(Buffer.from(token.replace('mlr_', ''), 'base64url')).toHaveLength(32);
    expect(await users.byToken(token)).toEqual({ id: user.id, name: 'Ada', level: 'intermediate', owner: false });
    expect(await users.byToken(`${token}x`)).toBeUndefined();
    expect(await users.byToken('')).toBeUndefined();
    expect(JSON.stringify(await store.db.selectFrom('users').selectAll().execute())).not.toContain(token);
  });

  test('begin as beginners, with a name of their own', async () => {
    const { users } = await database().open();
    expect((await users.add({ name: 'Ada' })).user.level).toBe('beginner');
    await expect(users.add({ name: 'Ada' })).rejects.toMatchObject({ code: 'conflict', message: 'There is already a user named "Ada"' });
    await expect(users.add({ name: 'owner' })).rejects.toMatchObject({ code: 'conflict' });
    for (const name of ['', '  ', 'x'.repeat(101), 'a\0b'])
      await expect(users.add({ name })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('get another level by id or name, but the owner does not', async () => {
    const { users } = await database().open();
    const { user, token } = await users.add({ name: 'Ada' });
    expect((await users.setLevel('Ada', 'advanced')).level).toBe('advanced');
    expect((await users.setLevel(user.id, 'intermediate')).level).toBe('intermediate');
    expect((await users.byToken(token))?.level).toBe('intermediate');
    await expect(users.setLevel('Bob', 'advanced')).rejects.toMatchObject({ code: 'not_found', message: 'There is no user "Bob"' });
    await expect(users.setLevel('owner', 'beginner')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('of an outside identity are made on first sight, once, and stay revoked', async () => {
    const { users } = await database().open();
    const seen = await Promise.all(Array.from({ length: 4 }, () => users.ensure('jwt:42', 'Ada')));
    expect(seen).toEqual(Array.from({ length: 4 }, () => ({ id: 'jwt:42', name: 'Ada (jwt:42)', level: 'beginner', owner: false })));
    expect(await users.list()).toHaveLength(2);
    await users.revoke('jwt:42');
    await expect(users.ensure('jwt:42', 'Ada')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('are revoked at once, stay listed, and free their name', async () => {
    const { users } = await database().open();
    const other = await database().open();
    const { user, token } = await users.add({ name: 'Ada' });
    expect(await other.users.byToken(token)).toBeDefined();
    await users.revoke('Ada');
    expect(await other.users.byToken(token)).toBeUndefined();
    expect(await other.users.get(user.id)).toBeUndefined();
    await expect(users.revoke('Ada')).rejects.toMatchObject({ code: 'not_found' });
    await expect(users.revoke('owner')).rejects.toMatchObject({ code: 'forbidden' });
    await users.add({ name: 'Ada' });
    expect((await users.list()).map(({ name, revokedAt }) => [name, revokedAt !== null]).sort()).toEqual([
      ['Ada', false],
      ['Ada', true],
      ['owner', false],
    ]);
  });
});

onEachDatabase('server keys', (database) => {
  test('are made once, also when several ask at once', async () => {
    const storages = await Promise.all(Array.from({ length: 5 }, () => database().open()));
    const keys = await Promise.all(storages.map((storage) => storage.keys.get('request-state')));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    const [first] = storages;
    expect(await first?.keys.get('another')).not.toEqual(keys[0]);
  });
});

onEachDatabase('counters', (database) => {
  test('count successes with distinct arguments, per user', async () => {
    const { counters } = await database().open();
    expect(await counters.countDistinctSuccess('ada', 'field_request', 'a')).toBe(1);
    expect(await counters.countDistinctSuccess('ada', 'field_request', 'a')).toBe(1);
    expect(await counters.countDistinctSuccess('ada', 'field_request', 'b')).toBe(2);
    expect(await counters.countDistinctSuccess('ada', 'get_help', 'a')).toBe(3);
    expect(await counters.countDistinctSuccess('bob', 'get_help', 'a')).toBe(1);
    expect(await counters.distinctSuccesses('ada')).toBe(3);
    expect(await counters.distinctSuccesses('ada', 'get_help')).toBe(1);
    expect(await counters.distinctSuccesses('eve')).toBe(0);
  });

  test('miss none that are counted at once', async () => {
    const storages = [await database().open(), await database().open()];
    const totals = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storages[index % 2]?.counters.countDistinctSuccess('ada', 'get_help', String(index))),
    );
    expect(Math.max(...totals.map(Number))).toBe(20);
  });
});
