import { type Catalog, isRecord } from '@millrace/kernel';
import type { AuditCursor, AuditRow, AuditTrail } from '@millrace/storage';
import type { StoredCall } from '../conversations/conversations.ts';
import type { TurnJournal } from '../conversations/turn-journal.ts';
import { unknownOutcome } from './history.ts';
import type { TurnCalls } from './turn-calls.ts';

/** The audit rows of one message, oldest first. */
export type CallRecords = (message: { id: string; userId: string; since: Date }) => Promise<AuditRow[]>;

const PAGE = 200;

export function recordsOf(audit: Pick<AuditTrail, 'read'>): CallRecords {
  return async ({ id, userId, since }) => {
    const found: AuditRow[] = [];
    let after: AuditCursor | undefined;
    do {
      const page = await audit.read({ userId, since }, { limit: PAGE, ...(after && { after }) });
      found.push(...page.rows.filter((row) => row.messageId === id));
      after = page.next;
    } while (after);
    return found.toReversed();
  };
}

export interface RecoveryOptions {
  catalog: Pick<Catalog, 'find'>;
  records: CallRecords;
  message: { id: string; userId: string; since: Date };
  journal: TurnJournal;
  calls: TurnCalls;
}

/**
 * Brings an interrupted turn to the end of its last step. Calls that had not started are made now. Calls that had started
 * are looked up in the audit log, repeated only if that changes nothing, and otherwise marked as unknown.
 */
export async function recover(options: RecoveryOptions): Promise<void> {
  const { journal, calls } = options;
  for (const call of journal.calls) {
    if (call.status === 'started') await recoverStarted(call, options);
    else if (call.status === 'decided') await calls.run(call);
  }
  if (journal.calls.length > 0) await journal.flush();
}

async function recoverStarted(call: StoredCall, { catalog, records, message, journal, calls }: RecoveryOptions): Promise<void> {
  const tool = catalog.find(call.tool)?.tool;
  const rows = (await records(message)).filter((row) => row.tool === call.tool && row.parentId === null);
  const finished = journal.calls.filter((other) => other.tool === call.tool && wasRecorded(other)).length;
  const row = rows[finished];
  if (row && row.errorCode !== 'cancelled')
    journal.finish(call, row.status, { type: row.status === 'success' ? 'json' : 'error-json', value: recordedOutput(row) });
  else if (tool?.access === 'read' || tool?.annotations.idempotentHint) await calls.run(call);
  else journal.finish(call, 'unknown', unknownOutcome(call));
}

/** Held calls were never made. */
function wasRecorded({ status }: StoredCall): boolean {
  return status === 'success' || status === 'failure';
}

function recordedOutput(row: AuditRow): unknown {
  const result = isRecord(row.result) ? row.result : { result: row.result };
  return row.status === 'success' ? { success: true, error: null, ...result } : { success: false, tell_the_person: 'That did not work.' };
}
