import { join } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { CallLimiter } from './call-limiter.ts';
import { makeFolder } from './make-folder.ts';
import { MemoryLimitCounts } from './memory-limit-counts.ts';
import { migrate } from './migrate.ts';
import type { AnyStore, PartsOptions, StorageParts } from './parts.ts';
import { SqliteAuditLog } from './sqlite-audit-log.ts';
import { openSqlite, SqliteStore } from './sqlite-store.ts';
import { type AuditTables, auditMigrations, type CoreTables, coreMigrations } from './tables.ts';

/** Two files, one connection each: data that must survive a power cut, and the audit log, written with every call. */
export async function sqliteParts(home: string, options: PartsOptions): Promise<StorageParts> {
  const { clock, migrations, auditRetentionDays } = options;
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
    const audit = new SqliteAuditLog(auditStore, clock, auditRetentionDays);
    return { store: store as AnyStore, audit, auditStore, limiter: new CallLimiter(new MemoryLimitCounts()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function makeHome(home: string): void {
  try {
    makeFolder(home, { mode: 0o700 });
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new Failure('storage', `The folder ${home} cannot be made`, {
      details: { path: home, system: cause.code ?? null },
      fix: { instruction: 'Check that its parent folder belongs to you and the disk has room, or set MILLRACE_HOME to another folder' },
      cause,
    });
  }
}
