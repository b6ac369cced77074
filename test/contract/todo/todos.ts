import type { Store } from '@millrace/storage';
import type { TodoTables } from '@millrace/todo/migrations';
import { openMillrace, type TestMillrace } from '../../harness/millrace.ts';

/** A clock that stands still until a test moves it: Sunday, half past ten in the morning. */
class StillClock {
  time = Date.parse('2026-01-04T10:30:00.000Z');
  now(): Date {
    return new Date(this.time);
  }
}

export interface TestTodos extends TestMillrace {
  clock: StillClock;
  /** The database itself, to see what is really stored. */
  store: Store<TodoTables>;
}

/** The todo toolset of the installed package. */
export async function openTodos(): Promise<TestTodos> {
  const clock = new StillClock();
  const millrace = await openMillrace({ toolsets: ['todo'], environment: { MILLRACE_TIME_ZONE: 'Europe/Berlin' }, clock });
  return { ...millrace, clock, store: millrace.storage.store };
}
