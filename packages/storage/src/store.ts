import type { Compilable, CompiledQuery, InferResult, Kysely } from 'kysely';

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
