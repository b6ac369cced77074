import type { Clock, Limiter } from '@millrace/kernel';
import type { AuditTrail } from './audit-log.ts';
import type { Migration } from './migrate.ts';
import type { Store } from './store.ts';
import type { AuditTables } from './tables.ts';

// biome-ignore lint/suspicious/noExplicitAny: the one database holds every toolset's tables; each sees its own
export type AnyStore = Store<any>;

/** What opening the storage requires, on either dialect. */
export interface PartsOptions {
  clock: Clock;
  migrations: readonly Migration[];
  auditRetentionDays: number;
  secrets: readonly string[];
  onError: (error: unknown, what: string) => void;
}

/** What differs by dialect. */
export interface StorageParts {
  store: AnyStore;
  audit: AuditTrail;
  /** Where the tables of the audit log are: on SQLite in a separate file. */
  auditStore: Store<AuditTables>;
  limiter: Limiter;
  close(): Promise<void>;
}
