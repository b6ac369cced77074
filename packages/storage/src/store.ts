import type { Compilable, CompiledQuery, DatabaseConnection, Driver, InferResult, Kysely, QueryResult } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

/** One statement of a transaction, as it is yielded. */
export type Statement = CompiledQuery<unknown>;

/**
 * The body of a transaction: a generator that yields statements and gets rows. It cannot await, so nothing but its own
 * statements can happen inside: no tool call, no question, no network. It may be run again from its start when it collides
 * with another process, so it keeps what it finds in its own variables.
 */
export type TransactionBody<Result> = Generator<Statement, Result, unknown[]>;

/** One database, on either dialect, with the same queries. */
export interface Store<Tables> {
  readonly dialect: Dialect;
  /** Builds queries; running them goes through the methods below or the builder's own execute(). */
  readonly db: Kysely<Tables>;
  /** The rows of one compiled statement, without the detour over the builder. */
  rows(statement: Statement): Promise<unknown[]>;
  /** All or nothing, and as if no other transaction ran meanwhile. A statement that fails ends it. */
  transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result>;
  /**
   * Waits for the named lock across processes; released when the work ends. Never hold it for long. The signal is aborted
   * when the lock is lost (an expired lease, a broken connection). Not reentrant.
   */
  withLock<Result>(name: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Throws when the database cannot be written right now: for readiness checks. */
  check(): Promise<void>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the one database holds every toolset's tables; each sees its own
export type AnyStore = Store<any>;

/** All rows of a query inside a transaction: `const rows = yield* all(db.selectFrom(…))`. */
export function* all<Query extends Compilable>(query: Query): Generator<Statement, InferResult<Query>, unknown[]> {
  return (yield query.compile() as Statement) as InferResult<Query>;
}

/** The first row of a query inside a transaction, if there is one. */
export function* first<Query extends Compilable>(
  query: Query,
): Generator<Statement, (InferResult<Query> extends (infer Row)[] ? Row : never) | undefined, unknown[]> {
  return (yield query.compile() as Statement)[0] as (InferResult<Query> extends (infer Row)[] ? Row : never) | undefined;
}

/** Runs a statement whose rows do not matter. */
export function* run(query: Compilable): Generator<Statement, void, unknown[]> {
  yield query.compile() as Statement;
}

/** A value as both dialects take it: times are ISO text, booleans 0 and 1. */
export function toParameter(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value === undefined ? null : value;
}

class Placeholder {
  readonly position: number;

  constructor(position: number) {
    this.position = position;
  }
}

/**
 * A query that is compiled once and then run with other values: for queries of a fixed shape that run with every call.
 * The builder must pass each argument on as a value and never inspect it.
 */
export function reusable<Values extends unknown[], Row>(build: (...values: Values) => Compilable<Row>) {
  let template: CompiledQuery<Row> | undefined;
  return {
    async rows(store: Pick<Store<never>, 'rows'>, ...values: Values): Promise<Row[]> {
      template ??= build(...(values.map((_, position) => new Placeholder(position)) as Values)).compile();
      const parameters = template.parameters.map((value) => (value instanceof Placeholder ? values[value.position] : value));
      return (await store.rows({ ...template, parameters })) as Row[];
    },
  };
}

/** Lets Kysely run statements through our store. Its transactions are refused: they would span turns of the event loop. */
export class StatementDriver implements Driver {
  #connection: DatabaseConnection;

  constructor(execute: (statement: Statement) => QueryResult<unknown> | Promise<QueryResult<unknown>>) {
    this.#connection = {
      executeQuery: async <Row>(query: CompiledQuery) => (await execute(query as Statement)) as QueryResult<Row>,
      // biome-ignore lint/correctness/useYield: streaming is not offered
      streamQuery: async function* () {
        throw new Error('streaming queries are not supported');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<never> {
    throw new Error('use store.transaction()');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
