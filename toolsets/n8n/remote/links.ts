import type { Clock } from '@millrace/kernel';
import { run, type Store } from '@millrace/storage';
import type { N8nTables } from '../store/tables.ts';

/** What a file is on the instance, and how that stood when it was last deployed or pulled. */
export interface Link {
  path: string;
  remoteId: string;
  remoteHash: string;
}

/** Which file belongs to which workflow of which instance. */
export class Links {
  readonly #store: Store<N8nTables>;
  readonly #clock: Clock;

  constructor(store: Store<N8nTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async ofFile(path: string, instance: string): Promise<Link | undefined> {
    const row = await this.#store.db
      .selectFrom('n8n_remotes')
      .selectAll()
      .where('path', '=', path)
      .where('instance', '=', instance)
      .executeTakeFirst();
    return row && { path: row.path, remoteId: row.remote_id, remoteHash: row.remote_hash };
  }

  async ofRemote(remoteId: string, instance: string): Promise<Link | undefined> {
    const row = await this.#store.db
      .selectFrom('n8n_remotes')
      .selectAll()
      .where('remote_id', '=', remoteId)
      .where('instance', '=', instance)
      .orderBy('seen_at', 'desc')
      .executeTakeFirst();
    return row && { path: row.path, remoteId: row.remote_id, remoteHash: row.remote_hash };
  }

  async forget(path: string, instance: string): Promise<void> {
    await this.#store.db.deleteFrom('n8n_remotes').where('path', '=', path).where('instance', '=', instance).execute();
  }

  async remember({ path, remoteId, remoteHash }: Link, instance: string): Promise<void> {
    const seen = { remote_id: remoteId, remote_hash: remoteHash, seen_at: this.#clock.now().toISOString() };
    await this.#store.transaction(function* (db) {
      yield* run(
        db
          .insertInto('n8n_remotes')
          .values({ path, instance, ...seen })
          .onConflict((conflict) => conflict.columns(['path', 'instance']).doUpdateSet(seen)),
      );
    });
  }
}
