import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditLog, Clock, InvocationRecord } from '@millrace/kernel';
import { sql } from 'kysely';
import { recordedValue } from './recorded-value.ts';
import type { Store } from './store.ts';
import type { AuditTables } from './tables.ts';

export interface AuditFilter {
  userId?: string;
  tool?: string;
  status?: 'success' | 'failure';
  since?: Date;
}

/** One row as it is read. Parameters and result may have been redacted and cut. */
export type AuditRow = InvocationRecord;

/** Where a page ended; the next one starts after it. */
export interface AuditCursor {
  at: Date;
  id: string;
}

export interface AuditPage {
  rows: AuditRow[];
  /** Absent on the last page. */
  next?: AuditCursor;
}

/** The audit log with its readers. */
export interface AuditTrail extends AuditLog {
  /** Newest first. */
  read(filter?: AuditFilter, page?: { limit?: number; after?: AuditCursor }): Promise<AuditPage>;
  /** Rows as they are written, oldest first, from `since` (now when not given) until the signal ends it. */
  follow(filter: AuditFilter, options: { signal: AbortSignal; everyMs?: number }): AsyncGenerator<AuditRow>;
  /** Removes rows older than the retention period; returns how many. */
  purge(): Promise<number>;
}

type StoredRow = AuditTables['tool_invocations'];

const DEFAULT_PAGE = 100;
const FOLLOW_EVERY_MS = 500;
/** A row can become visible a little after its time, when another process or replica writes it. */
const FOLLOW_OVERLAP_MS = 5_000;
const PURGE_BATCH = 500;
const DAY_MS = 86_400_000;

export function storedRow(record: InvocationRecord, secrets: readonly string[]): StoredRow {
  return {
    id: record.id,
    user_id: record.userId,
    message_id: record.messageId,
    parent_id: record.parentId,
    tool_name: record.tool,
    parameters: recordedValue(record.parameters, secrets),
    result: recordedValue(record.result, secrets),
    status: record.status,
    error_code: record.errorCode,
    duration_ms: record.durationMs,
    timestamp: record.at.toISOString(),
  };
}

/** Reading and clearing, the same on both dialects. */
export class AuditReader {
  readonly #store: Store<AuditTables>;
  readonly #clock: Clock;
  readonly #retentionDays: number;

  constructor(store: Store<AuditTables>, clock: Clock, retentionDays: number) {
    this.#store = store;
    this.#clock = clock;
    this.#retentionDays = retentionDays;
  }

  async read(filter: AuditFilter = {}, page: { limit?: number; after?: AuditCursor } = {}): Promise<AuditPage> {
    const limit = page.limit ?? DEFAULT_PAGE;
    let query = this.#select(filter)
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (page.after) query = query.where(sql<boolean>`(timestamp, id) < (${page.after.at.toISOString()}, ${page.after.id})`);
    const found = (await query.execute()).map(auditRow);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return found.length > limit && last ? { rows, next: { at: last.at, id: last.id } } : { rows };
  }

  async *follow(filter: AuditFilter, options: { signal: AbortSignal; everyMs?: number }): AsyncGenerator<AuditRow> {
    const { signal, everyMs = FOLLOW_EVERY_MS } = options;
    const start = (filter.since ?? this.#clock.now()).getTime();
    let from = start;
    let shown = new Map<string, number>();
    while (!signal.aborted) {
      const rows = await this.#select({ ...filter, since: new Date(from) })
        .orderBy('timestamp')
        .orderBy('id')
        .execute();
      for (const row of rows.map(auditRow)) {
        if (shown.has(row.id)) continue;
        shown.set(row.id, row.at.getTime());
        yield row;
        if (signal.aborted) return;
      }
      from = Math.max(start, this.#clock.now().getTime() - FOLLOW_OVERLAP_MS);
      shown = new Map([...shown].filter(([, at]) => at >= from));
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  /** In small batches, so that neither the event loop nor other processes wait. */
  async purge(): Promise<number> {
    const before = new Date(this.#clock.now().getTime() - this.#retentionDays * DAY_MS).toISOString();
    let removed = 0;
    for (;;) {
      const old = this.#store.db
        .selectFrom('tool_invocations')
        .select('id')
        .where('timestamp', '<', before)
        .orderBy('timestamp')
        .limit(PURGE_BATCH);
      const result = await this.#store.db
        .deleteFrom('tool_invocations')
        .where('timestamp', '<', before)
        .where('id', 'in', old)
        .executeTakeFirst();
      const count = Number(result.numDeletedRows);
      removed += count;
      if (count < PURGE_BATCH) return removed;
      await sleep(1);
    }
  }

  #select(filter: AuditFilter) {
    let query = this.#store.db.selectFrom('tool_invocations').selectAll();
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
    if (filter.tool !== undefined) query = query.where('tool_name', '=', filter.tool);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    if (filter.since !== undefined) query = query.where('timestamp', '>=', filter.since.toISOString());
    return query;
  }
}

function auditRow(row: StoredRow): AuditRow {
  return {
    id: row.id,
    userId: row.user_id,
    messageId: row.message_id,
    parentId: row.parent_id,
    tool: row.tool_name,
    parameters: JSON.parse(row.parameters),
    result: JSON.parse(row.result),
    status: row.status,
    errorCode: row.error_code,
    durationMs: row.duration_ms,
    at: new Date(row.timestamp),
  };
}
