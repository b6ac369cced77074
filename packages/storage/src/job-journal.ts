import type { Clock, JobJournal, JobProgress, JobState } from '@millrace/kernel';
import { type KeptHold, keepHold } from './lease.ts';
import type { Store } from './store.ts';
import type { CoreTables } from './tables.ts';

/** A running job whose process has not been heard of for so long was interrupted. Nobody takes a job over, so the row names no holder. */
const DEAD_AFTER_MS = 60_000;
const KEEP_MS = 30 * 86_400_000;

/** What became of long jobs, also after the process that ran them has gone. */
export class StoredJobJournal implements JobJournal {
  readonly #store: Store<CoreTables>;
  readonly #clock: Clock;
  readonly #signs = new Map<string, KeptHold>();

  constructor(store: Store<CoreTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async start(job: JobState): Promise<void> {
    const { db } = this.#store;
    await db
      .insertInto('jobs')
      .values({
        id: job.id,
        tool: job.tool,
        key: job.key,
        user_id: job.userId,
        status: job.status,
        progress: JSON.stringify(job.progress),
        started_at: job.startedAt.toISOString(),
        updated_at: job.updatedAt.toISOString(),
        alive_at: this.#clock.now().toISOString(),
      })
      .execute();
    await db
      .deleteFrom('jobs')
      .where('alive_at', '<', new Date(this.#clock.now().getTime() - KEEP_MS).toISOString())
      .execute();
    if (job.status === 'running') this.#signOfLife(job.id);
  }

  async update(id: string, change: { status?: JobState['status']; progress?: JobProgress }): Promise<void> {
    const now = this.#clock.now().toISOString();
    if (change.status && change.status !== 'running') this.#end(id);
    await this.#store.db
      .updateTable('jobs')
      .set({
        ...(change.status && { status: change.status }),
        ...(change.progress && { progress: JSON.stringify(change.progress) }),
        updated_at: now,
        alive_at: now,
      })
      .where('id', '=', id)
      .execute();
  }

  async get(id: string): Promise<JobState | undefined> {
    const row = await this.#store.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const silentMs = this.#clock.now().getTime() - Date.parse(row.alive_at);
    return {
      id: row.id,
      tool: row.tool,
      key: row.key,
      userId: row.user_id,
      status: row.status === 'running' && silentMs > DEAD_AFTER_MS ? 'interrupted' : (row.status as JobState['status']),
      progress: JSON.parse(row.progress) as JobProgress,
      startedAt: new Date(row.started_at),
      updatedAt: new Date(row.updated_at),
    };
  }

  close(): void {
    for (const id of [...this.#signs.keys()]) this.#end(id);
  }

  #signOfLife(id: string): void {
    const sign = keepHold(this.#clock, async () => {
      const alive_at = this.#clock.now().toISOString();
      return (await this.#store.db.updateTable('jobs').set({ alive_at }).where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0;
    });
    this.#signs.set(id, sign);
  }

  #end(id: string): void {
    this.#signs.get(id)?.stop();
    this.#signs.delete(id);
  }
}
