import { migrate, openSqlite, SqliteStore, type Store } from '@millrace/storage';
import { type TestCatalog, testCatalog } from '../../../test/harness/catalog.ts';
import { type TodoTables, todoMigrations } from '../migrations.ts';
import { todoToolset } from '../toolset.ts';

/** A clock that stands still until a test moves it: Sunday, half past ten in the morning. */
class StillClock {
  time = Date.parse('2026-01-04T10:30:00.000Z');
  now(): Date {
    return new Date(this.time);
  }
}

export interface TodoCatalog extends TestCatalog {
  clock: StillClock;
  store: Store<TodoTables>;
  /** The parsed text of a reply. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into envelopes of every shape
  ask(tool: string, parameters?: unknown, as?: Parameters<TestCatalog['call']>[2]): Promise<any>;
}

/** The todo toolset with its whole pipeline on a database in memory. */
export async function todoCatalog(options: { wrap?: (store: Store<TodoTables>) => Store<TodoTables> } = {}): Promise<TodoCatalog> {
  const store = new SqliteStore<TodoTables>(openSqlite({ path: ':memory:', synchronous: 'FULL' }));
  const clock = new StillClock();
  await migrate(store, todoMigrations, clock.now());
  const toolset = todoToolset({ store: options.wrap?.(store) ?? store, clock, timeZone: 'Europe/Berlin' });
  const catalog = testCatalog([toolset], { ports: { clock } });
  return {
    ...catalog,
    clock,
    store,
    async ask(tool, parameters, as) {
      const reply = await catalog.call(tool, parameters, as);
      return JSON.parse(reply.text);
    },
  };
}
