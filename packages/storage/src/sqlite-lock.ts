import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { patiently } from './sqlite-patience.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
const RETRY_MS = 20;

/** A lock as a row with a lease that its holder renews; a holder that was killed is passed over when its lease ends. */
export async function withLockRow<Result>(
  connection: Database.Database,
  name: string,
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await patiently(() =>
    connection.exec(
      'CREATE TABLE IF NOT EXISTS locks (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID',
    ),
  );
  const holder = randomUUID();
  const take = connection.prepare(
    'INSERT INTO locks (name, holder, expires_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at WHERE locks.expires_at < ?',
  );
  const taken = async () => (await patiently(() => take.run(name, holder, Date.now() + LEASE_MS, Date.now()))).changes > 0;
  while (!(await taken())) await sleep(RETRY_MS + Math.random() * RETRY_MS);
  const lost = new AbortController();
  const renew = connection.prepare('UPDATE locks SET expires_at = ? WHERE name = ? AND holder = ?');
  const renewed = async () => (await patiently(() => renew.run(Date.now() + LEASE_MS, name, holder))).changes > 0;
  const renewal = setInterval(() => {
    renewed().then(
      (held) => held || lost.abort(new Error(`the lock "${name}" was taken over`)),
      (error: unknown) => lost.abort(error),
    );
  }, RENEW_MS);
  renewal.unref();
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(renewal);
    if (connection.open) await patiently(() => connection.prepare('DELETE FROM locks WHERE name = ? AND holder = ?').run(name, holder));
  }
}
