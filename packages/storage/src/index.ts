export { type ColumnTypes, type Migration, migrate } from './migrate.ts';
export { openPostgres, PostgresStore } from './postgres-store.ts';
export { openSqlite, type SqliteOptions, SqliteStore } from './sqlite-store.ts';
export { all, type Dialect, first, run, type Statement, type Store, type TransactionBody } from './store.ts';
