import { all, run, type Statement, type TransactionBody, type Waiting, withLease } from '@millrace/storage';
import type { Compilable, Kysely } from 'kysely';
import { entityKey } from '../schema.ts';
import type { Collection } from './collection.ts';
import { type Contribution, nextGeneration, removeDocuments, replaceDocument, type WriteContext } from './contribution.ts';
import { renewGraph } from './graph-rows.ts';
import type { MergesTable, Tables } from './tables.ts';

/** What the collection knows of a file, to see whether it has changed. */
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
    await this.#collection.transactions.run((db) => replaceDocument(db, this.#context(), contribution), signal);
  }

  async remove(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let start = 0; start < paths.length; start += REMOVED_AT_ONCE) {
      const some = paths.slice(start, start + REMOVED_AT_ONCE);
      await this.#collection.transactions.run((db) => removeDocuments(db, this.#context(), some), signal);
    }
  }

  /** The same content, touched: the next run need not read the file again. */
  async seen(path: string, modifiedMs: number): Promise<void> {
    await this.#change((db) => db.updateTable('documents').set({ modified_ms: modifiedMs }).where('path', '=', path));
  }

  /** Empties the collection but keeps what people said about entities. */
  async clear(): Promise<void> {
    await this.remove([...(await this.files()).keys()]);
  }

  /** Makes the aliases of the configuration the ones that are in force. */
  async configureMerges(merges: readonly Merge[]): Promise<void> {
    const wanted = new Map(merges.map((merge) => [entityKey(merge.alias), mergeRow(merge, 'configuration')]));
    for (const [key, row] of wanted) if (row.key === key) wanted.delete(key);
    const { store, transactions } = this.#collection;
    await transactions.run(function* (db) {
      const present = yield* all(db.selectFrom('merges').selectAll().where('origin', '=', 'configuration'));
      const dropped = present.filter((row) => wanted.get(row.alias_key)?.key !== row.key);
      const known = new Set(present.filter((row) => !dropped.includes(row)).map((row) => row.alias_key));
      const added = [...wanted.values()].filter((row) => !known.has(row.alias_key));
      if (dropped.length + added.length === 0) return;
      for (const row of dropped) yield* run(db.deleteFrom('merges').where('alias_key', '=', row.alias_key));
      for (const row of added)
        yield* run(
          db
            .insertInto('merges')
            .values(row)
            .onConflict((conflict) => conflict.column('alias_key').doUpdateSet(row)),
        );
      const keys = new Set([...dropped, ...added].flatMap((row) => [row.alias_key, row.key]));
      yield* renewGraph(db, store.dialect, { keys, pairs: new Set() });
      yield* nextGeneration(db);
    });
  }

  /** A person says that two names mean one thing; it stays so through every re-index. */
  async merge(merge: Merge): Promise<void> {
    const row = mergeRow(merge, 'person');
    const { store, transactions } = this.#collection;
    await transactions.run(function* (db) {
      yield* run(db.deleteFrom('merges').where('alias_key', '=', row.key).where('key', '=', row.alias_key));
      yield* run(
        db
          .insertInto('merges')
          .values(row)
          .onConflict((conflict) => conflict.column('alias_key').doUpdateSet(row)),
      );
      yield* renewGraph(db, store.dialect, { keys: new Set([row.alias_key, row.key]), pairs: new Set() });
      yield* nextGeneration(db);
    });
  }

  async cachedExtraction(key: string): Promise<string | undefined> {
    const row = await this.#collection.store.db
      .selectFrom('extraction_cache')
      .select('extraction')
      .where('key', '=', key)
      .executeTakeFirst();
    if (row)
      await this.#change((db) => db.updateTable('extraction_cache').set({ used_at: this.#now().toISOString() }).where('key', '=', key));
    return row?.extraction;
  }

  async cacheExtraction(key: string, extraction: string): Promise<void> {
    const row = { key, extraction, used_at: this.#now().toISOString() };
    await this.#change((db) =>
      db
        .insertInto('extraction_cache')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row)),
    );
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
    return withLease({ table: 'leases', clock: { now: this.#now }, store, write }, 'index', waiting, work);
  }

  /** Names that an extractor may be told about: the most mentioned first. */
  async knownNames(limit: number): Promise<string[]> {
    const { db } = this.#collection.store;
    const rows = await db.selectFrom('entities').select('name').orderBy('mentions', 'desc').orderBy('id').limit(limit).execute();
    return rows.map((row) => row.name);
  }

  async #change(query: (db: Kysely<Tables>) => Compilable): Promise<void> {
    await this.#collection.transactions.run((db) => run(query(db)));
  }

  #context(): WriteContext {
    return { dialect: this.#collection.store.dialect, search: this.#collection.search, now: this.#now() };
  }
}

function mergeRow({ alias, name }: Merge, origin: MergesTable['origin']): MergesTable {
  return { alias_key: entityKey(alias), alias, key: entityKey(name), name, origin };
}
