import type { Generated } from 'kysely';

/** A chatflow as it was before a change, so that it can be brought back. */
export interface BackupTable {
  /** Counts up: the highest is the latest. */
  number: Generated<number>;
  id: string;
  /** The address of the Flowise it is of: ids mean nothing elsewhere. */
  instance: string;
  chatflow_id: string;
  name: string;
  type: string;
  deployed: number;
  flow_data: string;
  /** JSON of the settings that Flowise keeps beside the flow. */
  settings: string;
  reason: string;
  user_id: string;
  at: string;
}

export interface FlowiseTables {
  flowise_backups: BackupTable;
}
