import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { test } from 'vitest';
import { flowiseMigrations } from './migrations.ts';
import type { FlowiseTables } from './store/tables.ts';

test('can be applied twice', async () => {
  const store = new SqliteStore<FlowiseTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, flowiseMigrations, new Date());
  await migrate(store, flowiseMigrations, new Date());
  await store.close();
});
