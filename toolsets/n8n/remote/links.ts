import { type Clock, Failure } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { RemoteWorkflow } from './client.ts';
import { contentHash } from './payload.ts';

export interface LinkTables {
  /** What a workflow file is on an instance, and how that stood when we last saw it. */
  n8n_remotes: { path: string; instance: string; remote_id: string; remote_hash: string; seen_at: string };
}

/** What a file is on the instance, and how that stood when it was last deployed or pulled. */
export interface Link {
  path: string;
  remoteId: string;
  remoteHash: string;
}

/** Which file belongs to which workflow of which instance. */
export class Links {
  readonly #store: Store<LinkTables>;
  readonly #clock: Clock;

  constructor(store: Store<LinkTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  ofFile(path: string, instance: string): Promise<Link | undefined> {
    return this.#one('path', path, instance);
  }

  ofRemote(remoteId: string, instance: string): Promise<Link | undefined> {
    return this.#one('remote_id', remoteId, instance);
  }

  /** The link last seen. */
  #one(column: 'path' | 'remote_id', value: string, instance: string): Promise<Link | undefined> {
    return this.#store.db
      .selectFrom('n8n_remotes')
      .select(['path', 'remote_id as remoteId', 'remote_hash as remoteHash'])
      .where(column, '=', value)
      .where('instance', '=', instance)
      .orderBy('seen_at', 'desc')
      .executeTakeFirst();
  }

  async forget(path: string, instance: string): Promise<void> {
    await this.#store.db.deleteFrom('n8n_remotes').where('path', '=', path).where('instance', '=', instance).execute();
  }

  async remember({ path, remoteId, remoteHash }: Link, instance: string): Promise<void> {
    const seen = { remote_id: remoteId, remote_hash: remoteHash, seen_at: this.#clock.now().toISOString() };
    await this.#store.db
      .insertInto('n8n_remotes')
      .values({ path, instance, ...seen })
      .onConflict((conflict) => conflict.columns(['path', 'instance']).doUpdateSet(seen))
      .execute();
  }
}

export function hasDrifted(remote: RemoteWorkflow, link: Link | undefined): boolean {
  return link === undefined || link.remoteHash !== contentHash(remote);
}

export function driftInWords(link: Link | undefined): string {
  return link
    ? 'The workflow was changed on the instance since it was last deployed or pulled'
    : 'The instance has a workflow with this id that was not deployed from this file';
}

export function refuseDrift(remote: RemoteWorkflow, link: Link | undefined): void {
  if (!hasDrifted(remote, link)) return;
  throw new Failure('conflict', `${driftInWords(link)}: deploying would overwrite it`, {
    details: { remoteId: remote.id, drift: true },
    fix: { instruction: 'Look at it with dryRun: true or take it over with workflow_pull; force: true overwrites it' },
  });
}
