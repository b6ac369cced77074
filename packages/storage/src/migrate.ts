import { Failure } from '@millrace/kernel';
import { type Kysely, sql } from 'kysely';
import { all, type Dialect, run, type Statement, type Store } from './store.ts';

/** One change of the schema. Written once for both dialects; the few types that differ come from `types`. */
export interface Migration {
  /** Ordered by name within its owner: `todo-0001-todos`. */
  name: string;
  up(db: Kysely<never>, types: ColumnTypes): Iterable<{ compile(): Statement }>;
}

/** Column types that the dialects spell differently. */
export interface ColumnTypes {
  dialect: Dialect;
  /** A number that counts itself up. */
  serial: 'integer' | 'bigserial';
  /** Bytes. */
  bytes: 'blob' | 'bytea';
  /** A floating-point number of double precision. */
  real: 'real' | 'double precision';
}

const TYPES: Record<Dialect, ColumnTypes> = {
  sqlite: { dialect: 'sqlite', serial: 'integer', bytes: 'blob', real: 'real' },
  postgres: { dialect: 'postgres', serial: 'bigserial', bytes: 'bytea', real: 'double precision' },
};

interface MigrationTable {
  schema_migrations: { name: string; applied_at: string };
}

const LOCK = 0x6d696772;

/** Applies what is missing, all or nothing, one process at a time; refuses a database that a newer program has changed. */
export async function migrate<Tables>(store: Store<Tables>, migrations: readonly Migration[], now: Date): Promise<void> {
  const migrating = store as unknown as Store<MigrationTable>;
  await migrating.transaction(function* (db) {
    if (store.dialect === 'postgres') yield sql`SELECT pg_advisory_xact_lock(${LOCK})`.compile(db) as Statement;
    yield* run(
      db.schema
        .createTable('schema_migrations')
        .ifNotExists()
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('applied_at', 'text', (column) => column.notNull()),
    );
    const applied = new Set((yield* all(db.selectFrom('schema_migrations').select('name'))).map((row) => row.name));
    refuseNewer(applied, migrations);
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      for (const statement of migration.up(db as unknown as Kysely<never>, TYPES[store.dialect])) yield statement.compile();
      yield* run(db.insertInto('schema_migrations').values({ name: migration.name, applied_at: now.toISOString() }));
    }
  });
}

function refuseNewer(applied: Set<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Failure('storage', `The database was made by a newer version of Millrace (it has ${unknown.join(', ')})`, {
    details: { unknown },
    fix: { instruction: 'Update Millrace, or point MILLRACE_HOME at another folder' },
  });
}
