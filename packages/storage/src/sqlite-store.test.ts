import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { expect, test } from 'vitest';
import { PlannedOnceCompiler } from './sqlite-store.ts';

test('the values of a page are expressions, so that SQLite keeps its plan', () => {
  const db = new Kysely<{ todos: { id: string } }>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new PlannedOnceCompiler(),
    },
  });
  expect(db.selectFrom('todos').selectAll().limit(5).offset(10).compile()).toMatchObject({
    sql: 'select * from "todos" limit +? offset +?',
    parameters: [5, 10],
  });
});
