import { Failure } from '@millrace/kernel';
import type { Migration } from '@millrace/storage';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from './databases.ts';

const table = (name: string, tableName: string): Migration => ({
  name,
  *up(db, types) {
    yield db.schema
      .createTable(tableName)
      .addColumn('id', types.serial, (column) => column.primaryKey())
      .addColumn('bytes', types.bytes)
      .addColumn('weight', types.real);
    yield sql`INSERT INTO ${sql.table(tableName)} (weight) VALUES (0.5)`;
  },
});

onEachDatabase('migrations', (database) => {
  test('are applied once, in order, and remembered', async () => {
    await database().open({ migrations: [table('farm-0001-cows', 'cows')] });
    const { store } = await database().open({ migrations: [table('farm-0001-cows', 'cows'), table('farm-0002-pigs', 'pigs')] });
    expect(await store.db.selectFrom('cows').select(['id', 'weight']).execute()).toEqual([{ id: 1, weight: 0.5 }]);
    expect(await store.db.selectFrom('pigs').select(['id', 'weight']).execute()).toEqual([{ id: 1, weight: 0.5 }]);
    const names = await store.db.selectFrom('schema_migrations').select('name').where('name', 'like', 'farm-%').orderBy('name').execute();
    expect(names).toEqual([{ name: 'farm-0001-cows' }, { name: 'farm-0002-pigs' }]);
  });

  test('leave nothing behind when one of them fails', async () => {
    const broken: Migration = { name: 'farm-0002-broken', up: () => [sql`CREATE TABLE`] };
    await expect(database().open({ migrations: [table('farm-0001-cows', 'cows'), broken] })).rejects.toThrow();
    const { store } = await database().open({ migrations: [table('farm-0001-cows', 'cows')] });
    expect(await store.db.selectFrom('cows').selectAll().execute()).toHaveLength(1);
  });

  test('refuse a database of a newer program, and say so', async () => {
    await database().open({ migrations: [table('farm-0001-cows', 'cows'), table('farm-0002-pigs', 'pigs')] });
    const older = await database()
      .open({ migrations: [table('farm-0001-cows', 'cows')] })
      .catch((error: unknown) => error);
    expect(older).toBeInstanceOf(Failure);
    expect(older).toMatchObject({
      code: 'storage',
      message: 'The database was made by a newer version of Millrace (it has farm-0002-pigs)',
      fix: { instruction: 'Update Millrace, or point MILLRACE_HOME (or DATABASE_URL) at another place' },
    });
  });

  test('of a toolset that is switched off do not matter', async () => {
    await database().open({ migrations: [table('farm-0001-cows', 'cows')] });
    const { store } = await database().open({ migrations: [table('zoo-0001-apes', 'apes')] });
    expect(await store.db.selectFrom('apes').selectAll().execute()).toHaveLength(1);
  });

  test('are applied once when several programs start at the same moment', async () => {
    const starts = await Promise.all(Array.from({ length: 6 }, () => database().open({ migrations: [table('farm-0001-cows', 'cows')] })));
    for (const { store } of starts) expect(await store.db.selectFrom('cows').selectAll().execute()).toHaveLength(1);
  });

  test('must have names of their own, in the agreed form', async () => {
    await expect(database().open({ migrations: [table('farm-0001-a', 'a'), table('farm-0001-a', 'b')] })).rejects.toThrow('two migrations');
    await expect(database().open({ migrations: [table('cows', 'a')] })).rejects.toThrow('not <owner>-<0001>-<what>');
  });
});
