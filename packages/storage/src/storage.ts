import type { Clock, Limiter } from '@millrace/kernel';
import type { AuditTrail } from './audit-log.ts';
import { Counters } from './counters.ts';
import { StoredJobJournal } from './job-journal.ts';
import type { Migration } from './migrate.ts';
import { StoredPendingCalls } from './pending-calls.ts';
import { ServerKeys } from './server-keys.ts';
import type { AnyStore, Store } from './store.ts';
import type { AuditTables, CoreTables } from './tables.ts';
import { Users } from './users.ts';

export interface StorageOptions {
  /** The folder of the SQLite files; created when missing. Not used with a databaseUrl. */
  home: string;
  /** postgres://…; without it, SQLite. */
  databaseUrl?: string | undefined;
  clock: Clock;
  /** The tables of the toolsets. */
  migrations: readonly Migration[];
  /** How long audit rows are kept; 90 by default. */
  auditRetentionDays?: number | undefined;
  /** Values that the audit log never keeps, wherever they occur. */
  secrets?: readonly string[] | undefined;
  /** How long an unanswered question can be answered; a day by default. */
  pendingExpiryMs?: number | undefined;
  /** Receives background errors that fail no call. */
  onError?: ((error: unknown, what: string) => void) | undefined;
}

/** Everything that the server keeps. */
export interface Storage {
  store: AnyStore;
  audit: AuditTrail;
  users: Users;
  keys: ServerKeys;
  pendingCalls: StoredPendingCalls;
  jobs: StoredJobJournal;
  limiter: Limiter;
  counters: Counters;
  close(): Promise<void>;
}

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

const DEFAULT_RETENTION_DAYS = 90;
const FIRST_PURGE_MS = 60_000;
const PURGE_EVERY_MS = 60 * 60_000;

/** Opens the database, migrates its tables and returns everything that is kept in it. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { clock, onError = () => {} } = options;
  const parts = await openParts(options, {
    clock,
    migrations: options.migrations,
    auditRetentionDays: options.auditRetentionDays ?? DEFAULT_RETENTION_DAYS,
    secrets: options.secrets ?? [],
    onError,
  });
  try {
    return await assemble(parts, options, purgeRegularly(parts.audit, onError));
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Only the driver in use is loaded, to keep the start quick. */
async function openParts(options: StorageOptions, partsOptions: PartsOptions): Promise<StorageParts> {
  if (options.databaseUrl === undefined) return (await import('./sqlite-parts.ts')).sqliteParts(options.home, partsOptions);
  return (await import('./postgres-parts.ts')).postgresParts(options.databaseUrl, partsOptions);
}

async function assemble(parts: StorageParts, options: StorageOptions, stopPurging: () => void): Promise<Storage> {
  const { clock } = options;
  const core: Store<CoreTables> = parts.store;
  const users = new Users(core, clock);
  await users.ensureOwner();
  const pendingCalls = new StoredPendingCalls(core, clock, { expiryMs: options.pendingExpiryMs });
  const jobs = new StoredJobJournal(core, clock);
  return {
    store: parts.store,
    audit: parts.audit,
    users,
    keys: new ServerKeys(core, clock),
    pendingCalls,
    jobs,
    limiter: parts.limiter,
    counters: new Counters(parts.auditStore, clock),
    async close() {
      stopPurging();
      pendingCalls.close();
      jobs.close();
      await parts.close();
    },
  };
}

function purgeRegularly(audit: AuditTrail, onError: (error: unknown, what: string) => void): () => void {
  const purge = () => void audit.purge().catch((error: unknown) => onError(error, 'could not remove old audit rows'));
  const timers = [setTimeout(purge, FIRST_PURGE_MS), setInterval(purge, PURGE_EVERY_MS)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
