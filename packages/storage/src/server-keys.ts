import { randomBytes } from 'node:crypto';
import type { Clock } from '@millrace/kernel';
import type { Store } from './store.ts';
import type { CoreTables } from './tables.ts';

const KEY_BYTES = 32;

/** Keys that all processes and replicas of one database share, created on first use. */
export class ServerKeys {
  readonly #store: Store<CoreTables>;
  readonly #clock: Clock;
  readonly #known = new Map<string, Buffer>();

  constructor(store: Store<CoreTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** 256 random bits under a name, such as `request-state`; the same for everyone, even when several ask at once. */
  async get(name: string): Promise<Buffer> {
    const known = this.#known.get(name);
    if (known) return known;
    const key = (await this.#read(name)) ?? (await this.#make(name));
    this.#known.set(name, key);
    return key;
  }

  async #make(name: string): Promise<Buffer> {
    await this.#store.db
      .insertInto('server_keys')
      .values({ name, value: randomBytes(KEY_BYTES).toString('base64'), created_at: this.#clock.now().toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const key = await this.#read(name);
    if (!key) throw new Error(`the key ${name} vanished`);
    return key;
  }

  async #read(name: string): Promise<Buffer | undefined> {
    const row = await this.#store.db.selectFrom('server_keys').select('value').where('name', '=', name).executeTakeFirst();
    return row && Buffer.from(row.value, 'base64');
  }
}
