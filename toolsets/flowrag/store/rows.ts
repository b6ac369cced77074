import type { Dialect, TransactionBody } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** How many rows or values one statement takes: a statement cannot pause, so none may be long. */
const AT_ONCE = 500;

/** Reads and writes many rows within a transaction, in statements short enough to pause between. */
export class Rows {
  readonly db: Kysely<Tables>;
  readonly #dialect: Dialect;

  constructor(db: Kysely<Tables>, dialect: Dialect) {
    this.db = db;
    this.#dialect = dialect;
  }

  /** Many rows in a statement with one parameter, so that it is prepared once however many they are. */
  *insert<Table extends keyof Tables & string, Column extends keyof Tables[Table] & string = never>(
    table: Table,
    rows: readonly Partial<Tables[Table]>[],
    returning: readonly Column[] = [],
    onConflict: RawBuilder<unknown> = sql``,
  ): TransactionBody<Pick<Tables[Table], Column>[]> {
    const columns = Object.keys(rows[0] ?? {});
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const answer = returning.length > 0 ? sql`RETURNING ${sql.join(returning.map((column) => sql.ref(column)))}` : sql``;
    const answers: Pick<Tables[Table], Column>[] = [];
    for (const some of batches(rows)) {
      const json = JSON.stringify(some);
      const source =
        this.#dialect === 'sqlite'
          ? sql`SELECT ${sql.join(columns.map((column) => sql.raw(`value ->> '$.${column}'`)))} FROM json_each(${json}) WHERE true`
          : sql`SELECT ${names} FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${json}::jsonb)`;
      const insert = sql<Pick<Tables[Table], Column>>`INSERT INTO ${sql.table(table)} (${names}) ${source} ${onConflict} ${answer}`;
      for (const row of yield* statement(this.db, insert)) answers.push(row);
    }
    return answers;
  }

  /** One statement for every few hundred values, all rows together. Only for queries whose rows depend on one value each. */
  *forEach<Row>(
    values: Iterable<string | number>,
    query: (among: (column: string) => RawBuilder<boolean>) => RawBuilder<Row>,
  ): TransactionBody<Row[]> {
    const rows: Row[] = [];
    for (const some of batches([...values])) {
      const found = yield* statement(
        this.db,
        query((column) => among(this.#dialect, column, some)),
      );
      for (const row of found) rows.push(row);
    }
    return rows;
  }
}

function* batches<Value>(values: readonly Value[]): Generator<Value[], void, void> {
  for (let start = 0; start < values.length; start += AT_ONCE) yield values.slice(start, start + AT_ONCE);
}

/** `column IN (…)` for lists of any length, as one parameter. */
export function among(dialect: Dialect, column: string, values: readonly (string | number)[]): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
    : sql<boolean>`${sql.ref(column)} = ANY(${sql.val(values)})`;
}

export function* statement<Row>(db: Kysely<Tables>, query: RawBuilder<Row>): TransactionBody<Row[]> {
  return (yield query.compile(db)) as Row[];
}
