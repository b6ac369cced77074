import type { Clock } from '@millrace/kernel';
import { all, run, type Store } from '@millrace/storage';
import type { RunResult } from './engine.ts';

export interface KeptRun {
  executionId: string;
  workflowId: string;
  /** When it ended. */
  at: string;
  status: RunResult['status'];
  executionTime: number;
  where: RunResult['where'];
  result?: RunResult;
}

export interface RunTables {
  n8n_runs: {
    execution_id: string;
    workflow_id: string;
    at: string;
    status: RunResult['status'];
    execution_time: number;
    place: RunResult['where'];
    result: string;
  };
}

const KEPT_PER_WORKFLOW = 20;
const MOST_BYTES = 1_000_000;

/** Keeps the last runs of each workflow in the database. */
export class StoredRuns {
  readonly #store: Store<RunTables>;
  readonly #clock: Clock;

  constructor(store: Store<RunTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async keep(workflowId: string, result: RunResult): Promise<void> {
    const row = {
      execution_id: result.executionId,
      workflow_id: workflowId,
      at: this.#clock.now().toISOString(),
      status: result.status,
      execution_time: Math.round(result.executionTime),
      place: result.where,
      result: bounded(result),
    };
    await this.#store.transaction(function* (db) {
      yield* run(db.insertInto('n8n_runs').values(row));
      const newest = yield* all(
        db
          .selectFrom('n8n_runs')
          .select('execution_id')
          .where('workflow_id', '=', workflowId)
          .orderBy('at', 'desc')
          .limit(KEPT_PER_WORKFLOW),
      );
      const kept = newest.map((kept) => kept.execution_id);
      yield* run(db.deleteFrom('n8n_runs').where('workflow_id', '=', workflowId).where('execution_id', 'not in', kept));
    });
  }

  /** The newest first; of one workflow, or of all. */
  async list({ workflowId, limit, includeData }: { workflowId?: string; limit: number; includeData: boolean }): Promise<KeptRun[]> {
    let query = this.#store.db.selectFrom('n8n_runs').selectAll().orderBy('at', 'desc').limit(limit);
    if (workflowId !== undefined) query = query.where('workflow_id', '=', workflowId);
    return (await query.execute()).map((row) => ({
      executionId: row.execution_id,
      workflowId: row.workflow_id,
      at: row.at,
      status: row.status,
      executionTime: row.execution_time,
      where: row.place,
      ...(includeData && { result: JSON.parse(row.result) }),
    }));
  }
}

/** A run whose data is too large is kept without them. */
function bounded(result: RunResult): string {
  const text = JSON.stringify(result);
  if (text.length <= MOST_BYTES) return text;
  return JSON.stringify({
    ...result,
    runs: result.runs.slice(0, 1000).map((run) => ({ ...run, outputs: [] })),
    logs: result.logs.slice(0, 200),
  });
}
