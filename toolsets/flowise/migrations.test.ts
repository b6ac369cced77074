import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { test } from 'vitest';
import { type FlowiseTables, flowiseMigrations } from './migrations.ts';

test('can be applied twice', async () => {
  const store = new SqliteStore<FlowiseTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, flowiseMigrations, new Date());
  await migrate(store, flowiseMigrations, new Date());
  await store.close();
});
