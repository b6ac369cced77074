import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { required } from './migrate.ts';

test('required columns are never null and keep their order', () => {
  const db = new Kysely<never>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const table = db.schema.createTable('edits').$call(required({ path: 'text', bytes: 'integer' }));
  expect(table.compile().sql).toBe('create table "edits" ("path" text not null, "bytes" integer not null)');
});
