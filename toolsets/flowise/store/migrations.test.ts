import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { test } from 'vitest';
import { migrations } from './migrations.ts';
import type { FlowiseTables } from './tables.ts';

test('can be applied twice', async () => {
  const store = new SqliteStore<FlowiseTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, migrations, new Date());
  await migrate(store, migrations, new Date());
  await store.close();
});
