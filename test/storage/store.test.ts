import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '@millrace/kernel';
import { all, first, type Migration, run, type Store } from '@millrace/storage';
import { expect, test } from 'vitest';
import { onEachDatabase } from './databases.ts';

interface Tables {
  accounts: { name: string; balance: number; open: number; opened_at: string };
}

const migrations: Migration[] = [
  {
    name: 'bank-0001-accounts',
    *up(db) {
      yield db.schema
        .createTable('accounts')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('balance', 'integer', (column) => column.notNull())
        .addColumn('open', 'integer', (column) => column.notNull())
        .addColumn('opened_at', 'text', (column) => column.notNull());
    },
  },
];

const account = (name: string, balance = 0) => ({ name, balance, open: 1, opened_at: '2026-01-04T10:30:00.000Z' });

onEachDatabase('the store', (database) => {
  const openStore = async (): Promise<Store<Tables>> => (await database().open({ migrations })).store;

  test('keeps all of a transaction or nothing', async () => {
    const store = await openStore();
    const failing = store.transaction(function* (db) {
      yield* run(db.insertInto('accounts').values(account('ada')));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  test('ends a transaction whose statement failed, even if its body would continue', async () => {
    const store = await openStore();
    const failing = store.transaction(function* (db) {
      yield* run(db.insertInto('accounts').values(account('ada')));
      try {
        yield* run(db.insertInto('accounts').values(account('ada')));
      } catch {
        yield* run(db.insertInto('accounts').values(account('bob')));
      }
      return 'continued';
    });
    await expect(failing).rejects.toMatchObject({ code: 'conflict' } satisfies Partial<Failure>);
    expect(await store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  test('loses no update when many read and then write the same row', async () => {
    const stores = [await openStore(), await openStore()];
    await stores[0]?.db.insertInto('accounts').values(account('ada')).execute();
    const deposit = (store: Store<Tables>) =>
      store.transaction(function* (db) {
        const row = yield* first(db.selectFrom('accounts').select('balance').where('name', '=', 'ada'));
        const balance = (row?.balance ?? 0) + 1;
        yield* run(db.updateTable('accounts').set({ balance }).where('name', '=', 'ada'));
        return balance;
      });
    const balances = await Promise.all(Array.from({ length: 40 }, (_, index) => deposit(stores[index % 2] as Store<Tables>)));
    expect(new Set(balances).size).toBe(40);
    expect(await stores[1]?.db.selectFrom('accounts').select('balance').execute()).toEqual([{ balance: 40 }]);
  });

  test('gives the rows of returning, and numbers as numbers', async () => {
    const store = await openStore();
    const inserted = await store.transaction(function* (db) {
      return yield* all(
        db
          .insertInto('accounts')
          .values([account('ada', 3), account('bob', 4)])
          .returning(['name', 'balance']),
      );
    });
    expect(inserted).toEqual([
      { name: 'ada', balance: 3 },
      { name: 'bob', balance: 4 },
    ]);
    const sums = await store.db
      .selectFrom('accounts')
      .select((select) => [select.fn.countAll().as('count'), select.fn.sum('balance').as('sum')])
      .executeTakeFirst();
    expect(sums).toEqual({ count: 2, sum: 7 });
    const changed = await store.db.updateTable('accounts').set({ balance: 0 }).executeTakeFirst();
    expect(changed.numUpdatedRows).toBe(2n);
  });

  test('takes booleans and dates as the columns keep them', async () => {
    const store = await openStore();
    const values = { ...account('ada'), open: true as unknown as number, opened_at: new Date(0) as unknown as string };
    await store.db.insertInto('accounts').values(values).execute();
    expect(await store.db.selectFrom('accounts').select(['open', 'opened_at']).execute()).toEqual([
      { open: 1, opened_at: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  test('says that a key exists already in the same way on both', async () => {
    const store = await openStore();
    await store.db.insertInto('accounts').values(account('ada')).execute();
    await expect(store.db.insertInto('accounts').values(account('ada')).execute()).rejects.toMatchObject({ code: 'conflict' });
  });

  test("refuses Kysely's own transactions", async () => {
    const store = await openStore();
    await expect(store.db.transaction().execute(async () => {})).rejects.toThrow('use store.transaction()');
  });

  test('lets one holder of a lock in at a time, over processes and within one', async () => {
    const stores = [await openStore(), await openStore()];
    let inside = 0;
    let most = 0;
    const visit = (store: Store<Tables>) =>
      store.withLock('door', async () => {
        inside += 1;
        most = Math.max(most, inside);
        await store.db.selectFrom('accounts').selectAll().execute();
        await sleep(1);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 24 }, (_, index) => visit(stores[index % 2] as Store<Tables>)));
    expect(most).toBe(1);
  });

  test('frees a lock whose work fails, and nests locks of other names', async () => {
    const store = await openStore();
    await expect(
      store.withLock('outer', async () => {
        throw Object.assign(new Error('not the database'), { code: 'ECONNREFUSED' });
      }),
    ).rejects.toThrow('not the database');
    expect(await store.withLock('outer', () => store.withLock('inner', async () => 'both'))).toBe('both');
  });

  test('holds many locks at once without starving the work they guard', async () => {
    const store = await openStore();
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.withLock(`lock ${index}`, () =>
          store.db
            .selectFrom('accounts')
            .selectAll()
            .execute()
            .then((rows) => rows.length),
        ),
      ),
    );
    expect(counts).toEqual(Array.from({ length: 20 }, () => 0));
  });

  test('passes its check while it can be written', async () => {
    await (await openStore()).check();
  });
});
