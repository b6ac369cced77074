import type { Dialect, Statement } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Many rows in one statement with one parameter, so that the statement is prepared once however many they are. */
export function* insertRows<Table extends keyof Tables & string, Row extends Partial<Tables[Table]>>(
  db: Kysely<Tables>,
  dialect: Dialect,
  table: Table,
  rows: readonly Row[],
): Generator<Statement, void, unknown[]> {
  yield* insertReturning(db, dialect, table, rows, []);
}

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
  const source =
    dialect === 'sqlite'
      ? sql`SELECT ${sql.join(columns.map((column) => sql.raw(`value ->> '$.${column}'`)))} FROM json_each(${JSON.stringify(rows)}) WHERE true`
      : sql`SELECT ${names} FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`;
  const answer = returning.length > 0 ? sql`RETURNING ${sql.join(returning.map((column) => sql.ref(column)))}` : sql``;
  return yield sql`INSERT INTO ${sql.table(table)} (${names}) ${source} ${onConflict} ${answer}`.compile(db) as Statement;
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
