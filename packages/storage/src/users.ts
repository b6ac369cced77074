import { hash, randomBytes, randomUUID } from 'node:crypto';
import { type Clock, Failure, type User } from '@millrace/kernel';
import { first, run, type Store } from './store.ts';
import type { CoreTables } from './tables.ts';

export const OWNER_ID = 'owner';

/** The levels that an administrator can give a user, lowest first. */
export const LEVELS = ['beginner', 'intermediate', 'advanced'] as const;
export type Level = (typeof LEVELS)[number];

/** A user as an administrator sees them. */
export interface Account extends User {
  createdAt: Date;
  revokedAt: Date | null;
}

const MAX_NAME = 100;
const TOKEN_PREFIX = 'mlr_';
const TOKEN_BYTES = 32;

export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Who may use the server. Tokens are kept as hashes and shown once. */
export class Users {
  readonly #store: Store<CoreTables>;
  readonly #clock: Clock;

  constructor(store: Store<CoreTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The owner's row exists from the start; several processes may start at once. */
  async ensureOwner(): Promise<void> {
    const { db } = this.#store;
    if (await db.selectFrom('users').select('id').where('id', '=', OWNER_ID).executeTakeFirst()) return;
    await db
      .insertInto('users')
      .values(this.#newUser({ id: OWNER_ID, name: OWNER_ID, level: 'advanced', owner: 1 }))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async add(input: { name: string; level?: Level }): Promise<{ user: Account; token: string }> {
    const name = input.name.trim();
    if (name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name)) {
      throw new Failure('invalid_input', `A user's name has 1 to ${MAX_NAME} characters`, { details: { field: 'name' } });
    }
    const token = newToken();
    const row = this.#newUser({ id: randomUUID(), name, token_hash: hashOf(token), ...(input.level && { level: input.level }) });
    try {
      await this.#store.db.insertInto('users').values(row).execute();
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.code !== 'conflict') throw cause;
      throw new Failure('conflict', `There is already a user named "${name}"`, {
        fix: { instruction: 'Choose another name, or revoke that user first' },
        cause,
      });
    }
    return { user: account(row), token };
  }

  /** The user of an outside identity, such as a JWT's subject; created on first use. Throws when they were revoked here. */
  async ensure(id: string, name: string): Promise<User> {
    const { db } = this.#store;
    const known = await this.get(id);
    if (known) return known;
    await db
      .insertInto('users')
      .values(this.#newUser({ id, name: `${name.slice(0, MAX_NAME)} (${id})` }))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const made = await this.get(id);
    if (!made) throw new Failure('unauthenticated', 'This user was revoked');
    return made;
  }

  /** Revoked ones too, oldest first. */
  async list(): Promise<Account[]> {
    return (await this.#store.db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute()).map(account);
  }

  /** By id; undefined when unknown or revoked. */
  get(id: string): Promise<User | undefined> {
    return this.#find('id', id);
  }

  /** Undefined when no user who is not revoked has the token. */
  byToken(token: string): Promise<User | undefined> {
    return this.#find('token_hash', hashOf(token));
  }

  async #find(column: 'id' | 'token_hash', value: string): Promise<User | undefined> {
    const users = this.#store.db.selectFrom('users').selectAll().where(column, '=', value).where('revoked_at', 'is', null);
    const row = await users.executeTakeFirst();
    return row && user(row);
  }

  async setLevel(idOrName: string, level: Level): Promise<Account> {
    return this.#change(idOrName, { level });
  }

  /** The token stops working at once; what the user made stays. */
  async revoke(idOrName: string): Promise<Account> {
    return this.#change(idOrName, { revoked_at: this.#now() });
  }

  #change(idOrName: string, change: { level: Level } | { revoked_at: string }): Promise<Account> {
    return this.#store.transaction(function* (db) {
      const row = yield* first(
        db
          .selectFrom('users')
          .selectAll()
          .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
          .where('revoked_at', 'is', null),
      );
      if (!row) {
        throw new Failure('not_found', `There is no user "${idOrName.slice(0, MAX_NAME)}"`, {
          fix: { instruction: 'List the users', command: 'user list' },
        });
      }
      if (row.owner) throw new Failure('forbidden', 'The owner keeps the highest level and cannot be revoked');
      yield* run(db.updateTable('users').set(change).where('id', '=', row.id));
      return account({ ...row, ...change });
    });
  }

  #newUser(given: Pick<CoreTables['users'], 'id' | 'name'> & Partial<CoreTables['users']>): CoreTables['users'] {
    return { level: 'beginner', owner: 0, token_hash: null, created_at: this.#now(), revoked_at: null, ...given };
  }

  #now(): string {
    return this.#clock.now().toISOString();
  }
}

function hashOf(token: string): string {
  return hash('sha256', token);
}

function user(row: CoreTables['users']): User {
  return { id: row.id, name: row.name, level: row.level, owner: row.owner === 1 };
}

function account(row: CoreTables['users']): Account {
  return { ...user(row), createdAt: new Date(row.created_at), revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at) };
}
