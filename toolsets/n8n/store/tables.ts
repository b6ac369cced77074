import type { Generated, Insertable } from 'kysely';
import type { RunTables } from '../engine/run-history.ts';

/** One edit of a workflow file: which bytes it replaced, so that it can be taken back. */
export interface HistoryTable {
  id: Generated<number>;
  /** The real path of the file. */
  path: string;
  tool: string;
  at: string;
  before_hash: string;
  after_hash: string;
  /** Where the change begins; the bytes before and after it stayed. */
  offset_bytes: number;
  removed: Uint8Array;
  inserted_bytes: number;
}

export type EditRow = Insertable<HistoryTable>;

/** What a workflow file is on an instance, and how that stood when we last saw it. */
export interface RemoteTable {
  path: string;
  instance: string;
  remote_id: string;
  remote_hash: string;
  seen_at: string;
}

export interface N8nTables extends RunTables {
  n8n_history: HistoryTable;
  /** The same the other way round: edits that were taken back, and which bytes that replaced. */
  n8n_undone: HistoryTable;
  n8n_remotes: RemoteTable;
}
