import { all, run, type Statement, type TransactionBody, type Waiting, withLease } from '@millrace/storage';
import type { Compilable, Kysely } from 'kysely';
import { entityKey } from '../schema.ts';
import { type Collection, INDEX_LEASE } from './collection.ts';
import { type Contribution, DocumentRows, nextGeneration } from './contribution.ts';
import { renewGraph, Touched } from './graph-rows.ts';
import { Rows } from './rows.ts';
import type { Tables } from './tables.ts';

/** What the collection knows about a file, to see whether it has changed. */
export interface KnownFile {
  path: string;
  hash: string;
  bytes: number;
  modifiedMs: number;
  stamp: string;
}

export interface Merge {
  alias: string;
  name: string;
}

type MergeRow = Tables['merges'];

const REMOVED_AT_ONCE = 50;

/** Everything that changes a collection; each method is one transaction, or several that each leave it valid. */
export class CollectionWriter {
  readonly #collection: Collection;
  readonly #now: () => Date;

  constructor(collection: Collection, now: () => Date) {
    this.#collection = collection;
    this.#now = now;
  }

  async files(): Promise<Map<string, KnownFile>> {
    const { db } = this.#collection.store;
    const rows = await db.selectFrom('documents').select(['path', 'hash', 'bytes', 'modified_ms', 'stamp']).execute();
    return new Map(rows.map(({ modified_ms, ...row }) => [row.path, { ...row, modifiedMs: modified_ms }]));
  }

  async replace(contribution: Contribution, signal?: AbortSignal): Promise<void> {
    await this.#collection.transactions.run((db) => this.#documents(db).replace(contribution, this.#now()), signal);
  }

  async remove(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let start = 0; start < paths.length; start += REMOVED_AT_ONCE) {
      const some = paths.slice(start, start + REMOVED_AT_ONCE);
      await this.#collection.transactions.run((db) => this.#documents(db).remove(some), signal);
    }
  }

  /** The same content, touched: the next run need not read the file again. */
  async seen(path: string, modifiedMs: number): Promise<void> {
    await this.#change((db) => db.updateTable('documents').set({ modified_ms: modifiedMs }).where('path', '=', path));
  }

  /** Empties the collection but keeps the merges that people made. */
  async clear(): Promise<void> {
    await this.remove([...(await this.files()).keys()]);
  }

  /** Makes the aliases of the configuration the ones that are in force. */
  async configureMerges(merges: readonly Merge[]): Promise<void> {
    const wanted = new Map(merges.map((merge) => [entityKey(merge.alias), mergeRow(merge, 'configuration')]));
    for (const [key, row] of wanted) if (row.key === key) wanted.delete(key);
    const { dialect } = this.#collection.store;
    await this.#collection.transactions.run(function* (db) {
      const present = yield* all(db.selectFrom('merges').selectAll().where('origin', '=', 'configuration'));
      const dropped = present.filter((row) => wanted.get(row.alias_key)?.key !== row.key);
      const known = new Set(present.filter((row) => !dropped.includes(row)).map((row) => row.alias_key));
      const added = [...wanted.values()].filter((row) => !known.has(row.alias_key));
      if (dropped.length + added.length === 0) return;
      for (const row of dropped) yield* run(db.deleteFrom('merges').where('alias_key', '=', row.alias_key));
      yield* addMerges(new Rows(db, dialect), added, dropped);
    });
  }

  /** A person says that two names mean one thing; it stays so through every re-index. */
  async merge(merge: Merge): Promise<void> {
    const row = mergeRow(merge, 'person');
    const { dialect } = this.#collection.store;
    await this.#collection.transactions.run(function* (db) {
      yield* run(db.deleteFrom('merges').where('alias_key', '=', row.key).where('key', '=', row.alias_key));
      yield* addMerges(new Rows(db, dialect), [row]);
    });
  }

  async cachedExtraction(key: string): Promise<string | undefined> {
    const cached = this.#collection.store.db.selectFrom('extraction_cache').select('extraction').where('key', '=', key);
    const row = await cached.executeTakeFirst();
    if (row)
      await this.#change((db) => db.updateTable('extraction_cache').set({ used_at: this.#now().toISOString() }).where('key', '=', key));
    return row?.extraction;
  }

  async cacheExtraction(key: string, extraction: string): Promise<void> {
    const row = { key, extraction, used_at: this.#now().toISOString() };
    const cache = this.#collection.store.db.insertInto('extraction_cache').values(row);
    await this.#change(() => cache.onConflict((conflict) => conflict.column('key').doUpdateSet(row)));
  }

  /** Drops extractions that no run has used for a while. */
  async forgetExtractions(before: Date): Promise<void> {
    await this.#change((db) => db.deleteFrom('extraction_cache').where('used_at', '<', before.toISOString()));
  }

  /** One indexing run at a time over all processes. */
  alone<Result>(waiting: Waiting, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const { store, transactions } = this.#collection;
    const write = (statement: Statement) =>
      transactions.run(function* (): TransactionBody<unknown[]> {
        return yield statement;
      });
    return withLease({ table: 'leases', clock: { now: this.#now }, store, write }, INDEX_LEASE, waiting, work);
  }

  /** Names to show to an extractor: the most mentioned first. */
  async knownNames(limit: number): Promise<string[]> {
    const { db } = this.#collection.store;
    const rows = await db.selectFrom('entities').select('name').orderBy('mentions', 'desc').orderBy('id').limit(limit).execute();
    return rows.map((row) => row.name);
  }

  async #change(query: (db: Kysely<Tables>) => Compilable): Promise<void> {
    await this.#collection.transactions.run((db) => run(query(db)));
  }

  #documents(db: Kysely<Tables>): DocumentRows {
    return new DocumentRows(db, this.#collection.store.dialect, this.#collection.search);
  }
}

function mergeRow({ alias, name }: Merge, origin: MergeRow['origin']): MergeRow {
  return { alias_key: entityKey(alias), alias, key: entityKey(name), name, origin };
}

/** Adds merges and brings the graph up to date with them and with those that were dropped. */
function* addMerges(rows: Rows, added: readonly MergeRow[], dropped: readonly MergeRow[] = []): TransactionBody<void> {
  const touched = new Touched();
  const insert = rows.db.insertInto('merges');
  for (const row of added) yield* run(insert.values(row).onConflict((conflict) => conflict.column('alias_key').doUpdateSet(row)));
  for (const row of [...dropped, ...added]) touched.add(row.alias_key, row.key);
  yield* renewGraph(rows, touched);
  yield* nextGeneration(rows.db);
}
