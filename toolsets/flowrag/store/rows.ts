import type { Dialect, Statement } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Many rows in a statement with one parameter, so that it is prepared once however many they are. */
export function* insertRows<Table extends keyof Tables & string, Row extends Partial<Tables[Table]>>(
  db: Kysely<Tables>,
  dialect: Dialect,
  table: Table,
  rows: readonly Row[],
): Generator<Statement, void, unknown[]> {
  yield* insertReturning(db, dialect, table, rows, []);
}

/** How many rows or values one statement takes: a statement cannot pause, so none may be long. */
const AT_ONCE = 500;

export function* insertReturning<Table extends keyof Tables & string, Row extends Partial<Tables[Table]>>(
  db: Kysely<Tables>,
  dialect: Dialect,
  table: Table,
  rows: readonly Row[],
  returning: readonly (keyof Tables[Table] & string)[],
  onConflict: RawBuilder<unknown> = sql``,
): Generator<Statement, unknown[], unknown[]> {
  const [sample] = rows;
  if (!sample) return [];
  const columns = Object.keys(sample);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const answer = returning.length > 0 ? sql`RETURNING ${sql.join(returning.map((column) => sql.ref(column)))}` : sql``;
  const answers: unknown[] = [];
  for (const some of batches(rows)) {
    const json = JSON.stringify(some);
    const source =
      dialect === 'sqlite'
        ? sql`SELECT ${sql.join(columns.map((column) => sql.raw(`value ->> '$.${column}'`)))} FROM json_each(${json}) WHERE true`
        : sql`SELECT ${names} FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${json}::jsonb)`;
    const made = yield sql`INSERT INTO ${sql.table(table)} (${names}) ${source} ${onConflict} ${answer}`.compile(db) as Statement;
    for (const row of made) answers.push(row);
  }
  return answers;
}

/** One statement for every few hundred values, all rows together. Only for queries whose rows depend on one value each. */
export function* forEach<Value extends string | number, Row>(
  db: Kysely<Tables>,
  values: Iterable<Value>,
  query: (some: Value[]) => RawBuilder<Row>,
): Generator<Statement, Row[], unknown[]> {
  const rows: Row[] = [];
  for (const some of batches([...values])) for (const row of yield* statement<Row>(db, query(some))) rows.push(row);
  return rows;
}

function* batches<Value>(values: readonly Value[]): Generator<Value[], void, void> {
  for (let start = 0; start < values.length; start += AT_ONCE) yield values.slice(start, start + AT_ONCE);
}

/** `column IN (…)` for lists of any length, as one parameter. */
export function among(dialect: Dialect, column: string, values: readonly (string | number)[]): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
    : sql<boolean>`${sql.ref(column)} = ANY(${values as unknown[]})`;
}

export function* statement<Row>(db: Kysely<Tables>, query: RawBuilder<Row>): Generator<Statement, Row[], unknown[]> {
  return (yield query.compile(db) as Statement) as Row[];
}
