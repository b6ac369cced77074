import { randomUUID } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { type RawBuilder, sql } from 'kysely';
import { isGone, processName } from './process-identity.ts';
import type { AnyStore, Statement } from './store.ts';
import { pause } from './turns.ts';

/** How long a holder is believed without a sign of life, in the database and in lock files. */
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;
/** The longest pause before another look whether a holder has let go. */
export const RETRY_MS = 250;

/** What a row says about the process that works on it: who, and until when that may be believed. */
export interface Hold {
  holder: string | null;
  until: string | null;
}

/** A hold that is renewed until it is stopped. */
export interface KeptHold {
  /** Aborted when another process has taken over, or when nothing could be renewed for as long as a lease lasts. */
  readonly lost: AbortSignal;
  stop(): void;
}

export interface Waiting {
  signal?: AbortSignal | undefined;
  /** Called once when another holder has to be waited for. */
  onWait?: (() => void) | undefined;
}

/** A table with the columns name, holder and expires_at (milliseconds), one row a lease. */
export interface LeaseTable {
  table: string;
  clock: Clock;
  store: Pick<AnyStore, 'db' | 'rows'>;
  /** Where writes wait for their turn; the store's own way when left out. */
  write?(statement: Statement): Promise<unknown[]>;
}

/** A name for one hold of this process. */
export function newHolder(): string {
  return `${processName} ${randomUUID()}`;
}

/** Until when a hold that is taken or renewed now may be believed. */
export function holdEnd(clock: Clock): string {
  return new Date(clock.now().getTime() + LEASE_MS).toISOString();
}

/** A holder of this machine that is gone holds nothing; for any other, only time tells. */
export function isHeld({ holder, until }: Hold, clock: Clock): boolean {
  return holder !== null && until !== null && until > clock.now().toISOString() && !isGone(holder);
}

/** Renews a hold; `renew` answers whether it was still this process's own. */
export function keepHold(clock: Clock, renew: (until: string) => Promise<boolean>): KeptHold {
  const lost = new AbortController();
  let until = holdEnd(clock);
  let state: 'resting' | 'renewing' | 'stopped' = 'resting';
  const stop = () => {
    state = 'stopped';
    clearInterval(timer);
  };
  const lose = (reason: unknown) => {
    if (state !== 'stopped') lost.abort(reason);
    stop();
  };
  const timer = setInterval(async () => {
    if (state !== 'resting') return;
    state = 'renewing';
    const next = holdEnd(clock);
    try {
      if (await renew(next)) until = next;
      else lose(takenOver());
    } catch (error) {
      // A database that is busy for a while is tried again, as long as nobody else can have taken over.
      if (until <= clock.now().toISOString()) lose(error);
    }
    if (state === 'renewing') state = 'resting';
  }, RENEW_MS);
  timer.unref();
  return { lost: lost.signal, stop };
}

/** Waits for the named lease and does the work under it: one holder at a time, over all processes. */
export async function withLease<Result>(
  leases: LeaseTable,
  name: string,
  waiting: Waiting,
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const holder = newHolder();
  await take(leases, name, holder, waiting);
  const table = sql.table(leases.table);
  const mine = sql`name = ${name} AND holder = ${holder}`;
  const kept = keepHold(leases.clock, (until) =>
    changes(leases, sql`UPDATE ${table} SET expires_at = ${Date.parse(until)} WHERE ${mine} RETURNING holder`),
  );
  try {
    return await work(kept.lost);
  } finally {
    kept.stop();
    await changes(leases, sql`DELETE FROM ${table} WHERE ${mine} RETURNING holder`);
  }
}

async function take(leases: LeaseTable, name: string, holder: string, { signal, onWait }: Waiting): Promise<void> {
  const { clock, store } = leases;
  const table = sql.table(leases.table);
  for (let attempt = 0; ; attempt += 1) {
    // Only read: whoever waits for a lease must not wait for a long transaction too.
    const rows = await store.rows(sql`SELECT holder, expires_at FROM ${table} WHERE name = ${name}`.compile(store.db));
    const [seen] = rows as { holder: string; expires_at: number }[];
    if (!seen || !isHeld({ holder: seen.holder, until: new Date(seen.expires_at).toISOString() }, clock)) {
      // Only the row that was seen is passed over: another process may have been quicker.
      const taken = changes(
        leases,
        sql`INSERT INTO ${table} (name, holder, expires_at) VALUES (${name}, ${holder}, ${Date.parse(holdEnd(clock))})
          ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
          WHERE ${table}.holder = ${seen?.holder ?? ''} AND ${table}.expires_at = ${seen?.expires_at ?? 0} RETURNING holder`,
      );
      if (await taken) return;
    }
    if (attempt === 0) onWait?.();
    await pause(attempt, RETRY_MS, signal);
  }
}

async function changes({ store, write }: LeaseTable, query: RawBuilder<unknown>): Promise<boolean> {
  const statement = query.compile(store.db);
  return (await (write ? write(statement) : store.rows(statement))).length > 0;
}

function takenOver(): Failure {
  return new Failure('conflict', 'Another process has taken this over', { fix: { instruction: 'Look at what it did, then call again' } });
}
