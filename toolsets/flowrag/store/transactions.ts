import type { SqliteStore, Statement, Store, TransactionBody } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import { Slices } from '../document/slices.ts';
import type { Tables } from './tables.ts';

/** How a collection is written: all or nothing, without blocking readers. */
export interface Transactions {
  run<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** The store's own transactions: those of Postgres wait for their statements anyway, and memory has only one connection. */
export function ownTransactions(store: Store<Tables>): Transactions {
  return { run: (body) => store.transaction(body), close: async () => {} };
}

/**
 * Transactions of SQLite on a connection of their own, one after the other. Between slices of a long one the process does
 * other things and reads what was there before; all of it becomes visible at once, or nothing.
 */
export class SlicedTransactions implements Transactions {
  readonly #open: () => SqliteStore<Tables>;
  #store: SqliteStore<Tables> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: () => SqliteStore<Tables>) {
    this.#open = open;
  }

  run<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>, signal?: AbortSignal): Promise<Result> {
    const result = this.#last.then(() => this.#transaction(body, signal));
    this.#last = result.catch(() => {});
    return result;
  }

  async #transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>, signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted();
    this.#store ??= this.#open();
    const store = this.#store;
    await store.rows(plain(store.db, 'BEGIN IMMEDIATE'));
    try {
      const slices = new Slices(signal);
      const statements = body(store.db);
      let step = statements.next();
      while (!step.done) {
        const rows = await store.rows(step.value);
        if (slices.over) await slices.next();
        step = statements.next(rows);
      }
      await store.rows(plain(store.db, 'COMMIT'));
      return step.value;
    } finally {
      if (store.connection.inTransaction) await store.rows(plain(store.db, 'ROLLBACK'));
    }
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#store?.close();
    this.#store = undefined;
  }
}

function plain(db: Kysely<Tables>, statement: string): Statement {
  return sql.raw(statement).compile(db);
}
