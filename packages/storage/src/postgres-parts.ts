import { CallLimiter } from './call-limiter.ts';
import { migrate } from './migrate.ts';
import { PostgresAuditLog } from './postgres-audit-log.ts';
import { PostgresLimitCounts } from './postgres-limit-counts.ts';
import { openPostgres, PostgresStore } from './postgres-store.ts';
import type { PartsOptions, StorageParts } from './storage.ts';
import type { AnyStore } from './store.ts';
import { auditMigrations, type CoreTables, coreMigrations, limitMigrations } from './tables.ts';

/** One database with all tables, shared by replicas. */
export async function postgresParts(url: string, options: PartsOptions): Promise<StorageParts> {
  const { clock, migrations, auditRetentionDays, secrets, onError } = options;
  const pool = openPostgres(url, { onIdleError: (error) => onError(error, 'a database connection broke') });
  const store = new PostgresStore<CoreTables>(pool);
  try {
    await migrate(store, [...coreMigrations, ...auditMigrations, ...limitMigrations, ...migrations], clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  const counts = new PostgresLimitCounts(new PostgresStore(pool), clock);
  return {
    store: store as AnyStore,
    audit: new PostgresAuditLog(new PostgresStore(pool), clock, auditRetentionDays, secrets),
    auditStore: new PostgresStore(pool),
    limiter: new CallLimiter(counts),
    async close() {
      counts.close();
      await store.close();
    },
  };
}
