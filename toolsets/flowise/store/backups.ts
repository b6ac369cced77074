import { randomUUID } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { all, run, type Store } from '@millrace/storage';
import type { Insertable } from 'kysely';
import { CHATFLOW_TYPES, type Chatflow, type ChatflowFields } from '../client/chatflow.ts';
import type { BackupTable, FlowiseTables } from '../migrations.ts';

export type BackupReason = 'update' | 'delete' | 'restore';

export interface BackupNote {
  id: string;
  name: string;
  reason: string;
  at: string;
}

/** A kept state of a chatflow, as it can be sent back to Flowise. */
export interface Backup extends BackupNote {
  fields: ChatflowFields;
}

const KEPT_OF_EACH = 20;

/** The last states of every chatflow that was changed or deleted through us. */
export class Backups {
  readonly #store: Store<FlowiseTables>;
  readonly #clock: Clock;
  readonly #instance: string;

  constructor(options: { store: Store<FlowiseTables>; clock: Clock; instance: string }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#instance = options.instance;
  }

  /** Keeps the state; throws when it cannot, so that nothing is changed without a way back. */
  async keep(chatflow: Chatflow, reason: BackupReason, userId: string): Promise<void> {
    const row: Insertable<BackupTable> = {
      id: randomUUID(),
      instance: this.#instance,
      chatflow_id: chatflow.id,
      name: chatflow.name,
      type: chatflow.type,
      deployed: chatflow.deployed ? 1 : 0,
      flow_data: chatflow.flowData,
      settings: JSON.stringify(chatflow.settings),
      reason,
      user_id: userId,
      at: this.#clock.now().toISOString(),
    };
    try {
      await this.#store.transaction(function* (db) {
        yield* run(db.insertInto('flowise_backups').values(row));
        const of = db.selectFrom('flowise_backups').where('instance', '=', row.instance).where('chatflow_id', '=', row.chatflow_id);
        const ids = yield* all(of.select('id').orderBy('number', 'desc'));
        const old = ids.slice(KEPT_OF_EACH).map(({ id }) => id);
        if (old.length > 0) yield* run(db.deleteFrom('flowise_backups').where('id', 'in', old));
      });
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      throw new Failure('storage', 'The chatflow could not be backed up, so it was left as it is', { cause });
    }
  }

  async list(chatflowId: string): Promise<BackupNote[]> {
    return this.#of(chatflowId).select(['id', 'name', 'reason', 'at']).orderBy('number', 'desc').execute();
  }

  async get(chatflowId: string, id: string): Promise<Backup | undefined> {
    const row = await this.#of(chatflowId).selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    return {
      id: row.id,
      name: row.name,
      reason: row.reason,
      at: row.at,
      fields: {
        name: row.name,
        type: CHATFLOW_TYPES.find((type) => type === row.type) ?? 'CHATFLOW',
        deployed: row.deployed === 1,
        flowData: row.flow_data,
        ...(JSON.parse(row.settings) as ChatflowFields),
      },
    };
  }

  #of(chatflowId: string) {
    return this.#store.db.selectFrom('flowise_backups').where('instance', '=', this.#instance).where('chatflow_id', '=', chatflowId);
  }

  /** Changes of one chatflow that look before they write take turns, over all processes that share the store. */
  async inTurn<Result>(chatflowId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#store.withLock(`flowise ${this.#instance} ${chatflowId}`, work);
  }
}
