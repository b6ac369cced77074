import { Failure } from '@millrace/kernel';
import type { ColumnDataType, CreateTableBuilder, Kysely } from 'kysely';
import { all, type Dialect, run, type Statement, type Store } from './store.ts';

/** One change of the schema. Written once for both dialects; the few types that differ come from `types`. */
export interface Migration {
  /** `<owner>-<number>-<what>`, ordered by name within its owner: `todo-0001-todos`. */
  name: string;
  /** Yields schema builders, queries, or raw sql`…`. */
  up(db: Kysely<never>, types: ColumnTypes): Iterable<{ compile(db: Kysely<never>): Statement }>;
}

/** Column types that the dialects spell differently. */
export interface ColumnTypes {
  dialect: Dialect;
  /** An auto-incremented number. */
  serial: 'integer' | 'bigserial';
  /** Bytes. */
  bytes: 'blob' | 'bytea';
  /** A floating-point number of double precision. */
  real: 'real' | 'double precision';
}

/** Columns that are never null, in this order: `table.$call(required({ path: 'text', at: 'text' }))`. */
export function required(columns: Readonly<Record<string, ColumnDataType>>) {
  // biome-ignore lint/suspicious/noExplicitAny: the columns of a table that is being made are unknown to its types
  return (table: CreateTableBuilder<any, any>) =>
    Object.entries(columns).reduce((made, [name, type]) => made.addColumn(name, type, (column) => column.notNull()), table);
}

const TYPES: Record<Dialect, ColumnTypes> = {
  sqlite: { dialect: 'sqlite', serial: 'integer', bytes: 'blob', real: 'real' },
  postgres: { dialect: 'postgres', serial: 'bigserial', bytes: 'bytea', real: 'double precision' },
};

interface MigrationTable {
  schema_migrations: { name: string; applied_at: string };
}

/** Applies missing migrations, all or none, one process at a time; refuses a database that a newer version has changed. */
export async function migrate<Tables>(store: Store<Tables>, migrations: readonly Migration[], now: Date): Promise<void> {
  refuseDuplicates(migrations);
  const migrating = store as unknown as Store<MigrationTable>;
  if (await isCurrent(migrating, migrations)) return;
  // On SQLite the transaction itself keeps others out; on Postgres two of them could create the same table.
  if (store.dialect === 'postgres') await migrating.withLock('migrate', () => apply(migrating, migrations, now));
  else await apply(migrating, migrations, now);
}

/** Checked without a lock first: most starts have nothing to migrate. */
async function isCurrent(store: Store<MigrationTable>, migrations: readonly Migration[]): Promise<boolean> {
  let rows: { name: string }[];
  try {
    rows = await store.db.selectFrom('schema_migrations').select('name').execute();
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    return false;
  }
  const applied = new Set(rows.map((row) => row.name));
  refuseNewer(applied, migrations);
  return migrations.every((migration) => applied.has(migration.name));
}

/** The error of SQLite, or that of Postgres. */
function isMissingTable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '42P01' || (code === 'SQLITE_ERROR' && String(message).startsWith('no such table'));
}

function apply(store: Store<MigrationTable>, migrations: readonly Migration[], now: Date): Promise<void> {
  return store.transaction(function* (db) {
    yield* run(
      db.schema
        .createTable('schema_migrations')
        .ifNotExists()
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('applied_at', 'text', (column) => column.notNull()),
    );
    const applied = new Set((yield* all(db.selectFrom('schema_migrations').select('name'))).map((row) => row.name));
    refuseNewer(applied, migrations);
    const untyped = db as unknown as Kysely<never>;
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      for (const statement of migration.up(untyped, TYPES[store.dialect])) yield statement.compile(untyped);
      yield* run(db.insertInto('schema_migrations').values({ name: migration.name, applied_at: now.toISOString() }));
    }
  });
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = new Set<string>();
  for (const { name } of migrations) {
    if (!/^[a-z0-9]+-\d{4}-[a-z0-9-]+$/.test(name)) throw new Error(`a migration is named "${name}", not <owner>-<0001>-<what>`);
    if (names.has(name)) throw new Error(`two migrations are named ${name}`);
    names.add(name);
  }
}

/** Only active owners count: a toolset that is off here may have tables of any version. */
function refuseNewer(applied: Set<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const owners = new Set(migrations.map((migration) => ownerOf(migration.name)));
  const unknown = [...applied].filter((name) => !known.has(name) && owners.has(ownerOf(name)));
  if (unknown.length === 0) return;
  throw new Failure('storage', `The database was made by a newer version of Millrace (it has ${unknown.join(', ')})`, {
    details: { unknown },
    fix: { instruction: 'Update Millrace, or point MILLRACE_HOME (or DATABASE_URL) at another place' },
  });
}

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('-'));
}
