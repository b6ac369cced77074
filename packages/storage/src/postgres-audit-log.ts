import type { Clock, InvocationRecord } from '@millrace/kernel';
import { AuditReader, type AuditTrail, storedRow } from './audit-log.ts';
import { postgresFailure } from './postgres-failure.ts';
import type { PostgresStore } from './postgres-store.ts';
import type { AuditTables } from './tables.ts';

const INSERT = {
  name: 'millrace-audit',
  text: `INSERT INTO tool_invocations
  (id, user_id, message_id, parent_id, tool_name, parameters, result, status, error_code, duration_ms, timestamp)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

/** One prepared insert on a connection of the pool. */
export class PostgresAuditLog extends AuditReader implements AuditTrail {
  readonly #store: PostgresStore<AuditTables>;
  readonly #secrets: readonly string[];

  constructor(store: PostgresStore<AuditTables>, clock: Clock, retentionDays: number, secrets: readonly string[]) {
    super(store, clock, retentionDays);
    this.#secrets = secrets;
    this.#store = store;
  }

  async record(record: InvocationRecord): Promise<void> {
    const row = storedRow(record, this.#secrets);
    // In the order of the columns above.
    const values = Object.values({ ...row, tool_name: row.tool_name.replaceAll('\0', '') });
    try {
      await this.#store.pool.query({ ...INSERT, values });
    } catch (error) {
      throw postgresFailure(error);
    }
  }
}
