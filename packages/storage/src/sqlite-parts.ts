import { join } from 'node:path';
import { CallLimiter, MemoryLimitCounts } from './call-limiter.ts';
import { makeHome } from './make-folder.ts';
import { migrate } from './migrate.ts';
import { SqliteAuditLog } from './sqlite-audit-log.ts';
import { openSqlite, SqliteStore } from './sqlite-store.ts';
import type { PartsOptions, StorageParts } from './storage.ts';
import type { AnyStore } from './store.ts';
import { type AuditTables, auditMigrations, type CoreTables, coreMigrations } from './tables.ts';

/** Two files, one connection each: data that must survive a power cut, and the audit log, written with every call. */
export async function sqliteParts(home: string, options: PartsOptions): Promise<StorageParts> {
  const { clock, migrations, auditRetentionDays, secrets } = options;
  makeHome(home);
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => void (await Promise.all(opened.map((store) => store.close())));
  try {
    const store = new SqliteStore<CoreTables>(openSqlite({ path: join(home, 'millrace.db'), synchronous: 'FULL' }));
    opened.push(store);
    await migrate(store, [...coreMigrations, ...migrations], clock.now());
    const auditStore = new SqliteStore<AuditTables>(openSqlite({ path: join(home, 'audit.db'), synchronous: 'NORMAL' }));
    opened.push(auditStore);
    await migrate(auditStore, auditMigrations, clock.now());
    const audit = new SqliteAuditLog(auditStore, clock, auditRetentionDays, secrets);
    return { store: store as AnyStore, audit, auditStore, limiter: new CallLimiter(new MemoryLimitCounts()), close };
  } catch (error) {
    await close();
    throw error;
  }
}
