import { type Clock, Failure, type Journal, type PendingCalls, type PendingKey } from '@millrace/kernel';
import { holdEnd, isHeld, type KeptHold, keepHold, newHolder } from './lease.ts';
import { first, run, type Store } from './store.ts';
import type { CoreTables } from './tables.ts';

const DEFAULT_EXPIRY_MS = 24 * 60 * 60 * 1000;

/** Interrupted calls, one row each. Who works on one holds a lease, renewed while a person is asked. */
export class StoredPendingCalls implements PendingCalls {
  readonly #store: Store<CoreTables>;
  readonly #clock: Clock;
  readonly #expiryMs: number;
  /** The claims of this process, by journal. */
  readonly #claims = new Map<string, { holder: string; kept: KeptHold }>();

  constructor(store: Store<CoreTables>, clock: Clock, options: { expiryMs?: number | undefined } = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#expiryMs = options.expiryMs ?? DEFAULT_EXPIRY_MS;
  }

  async open(key: PendingKey): Promise<Journal | undefined> {
    const clock = this.#clock;
    const holder = newHolder();
    const now = clock.now().toISOString();
    const claim = { claimed_by: holder, claimed_until: holdEnd(clock) };
    const journal = await this.#store.transaction(function* (db) {
      let query = db.selectFrom('pending_calls').selectAll().where('user_id', '=', key.userId).where('tool', '=', key.tool);
      query =
        key.id === undefined
          ? query.where('arguments_hash', '=', key.argumentsHash).where('closed', '=', 0)
          : query.where('id', '=', key.id);
      const row = yield* first(query.where('expires_at', '>', now).orderBy('updated_at', 'desc').limit(1));
      if (!row) return undefined;
      if (row.arguments_hash !== key.argumentsHash) throw argumentsChanged();
      if (isHeld({ holder: row.claimed_by, until: row.claimed_until }, clock)) throw inUse();
      yield* run(db.updateTable('pending_calls').set(claim).where('id', '=', row.id));
      return JSON.parse(row.journal) as Journal;
    });
    if (journal) this.#hold(journal.id, holder);
    return journal;
  }

  async save(journal: Journal, key: PendingKey): Promise<void> {
    const holder = this.#claims.get(journal.id)?.holder ?? newHolder();
    const now = this.#clock.now();
    const content = {
      journal: JSON.stringify(journal),
      closed: journal.closed ? 1 : 0,
      claimed_by: holder,
      claimed_until: holdEnd(this.#clock),
      updated_at: now.toISOString(),
      expires_at: new Date(now.getTime() + this.#expiryMs).toISOString(),
    };
    await this.#store.transaction(function* (db) {
      const row = yield* first(db.selectFrom('pending_calls').select('claimed_by').where('id', '=', journal.id));
      if (row && row.claimed_by !== holder) throw inUse();
      if (row) {
        yield* run(db.updateTable('pending_calls').set(content).where('id', '=', journal.id));
        return;
      }
      const { userId: user_id, tool, argumentsHash: arguments_hash } = key;
      yield* run(db.insertInto('pending_calls').values({ id: journal.id, user_id, tool, arguments_hash, ...content }));
      yield* run(db.deleteFrom('pending_calls').where('expires_at', '<=', now.toISOString()));
    });
    this.#hold(journal.id, holder);
  }

  async release(journal: Journal): Promise<void> {
    const claim = this.#claims.get(journal.id);
    if (!claim) return;
    this.#forget(journal.id);
    await this.#store.db
      .updateTable('pending_calls')
      .set({ claimed_by: null, claimed_until: null })
      .where('id', '=', journal.id)
      .where('claimed_by', '=', claim.holder)
      .execute();
  }

  /** Ends the renewals; claims that are left run out by themselves. */
  close(): void {
    for (const id of [...this.#claims.keys()]) this.#forget(id);
  }

  #hold(id: string, holder: string): void {
    if (this.#claims.has(id)) return;
    // The next save finds out whether the claim still stands.
    const kept = keepHold(this.#clock, async (claimed_until) => {
      const renewed = this.#store.db
        .updateTable('pending_calls')
        .set({ claimed_until })
        .where('id', '=', id)
        .where('claimed_by', '=', holder);
      return (await renewed.executeTakeFirst()).numUpdatedRows > 0;
    });
    this.#claims.set(id, { holder, kept });
  }

  #forget(id: string): void {
    this.#claims.get(id)?.kept.stop();
    this.#claims.delete(id);
  }
}

function inUse(): Failure {
  return new Failure('conflict', 'This call is being answered right now', {
    fix: { instruction: 'Wait for the other answer, then call again if it is still needed' },
  });
}

function argumentsChanged(): Failure {
  return new Failure('conflict', 'The arguments are not those that the question was asked about', {
    fix: { instruction: 'Send the answer with the same arguments, or call again without an answer' },
  });
}
