import { dirname } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { makeFolder, migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { collectionMigrations } from '../migrations.ts';
import { Collection } from './collection.ts';
import { SqliteSearch } from './sqlite-search.ts';
import type { Tables } from './tables.ts';
import { ownTransactions, SlicedTransactions } from './transactions.ts';

/** Opens the collection in this file, and makes it where it is missing. */
export async function openSqliteCollection(path: string, now: Date): Promise<Collection> {
  makeDataFolder(dirname(path));
  const open = () => new SqliteStore<Tables>(openSqlite({ path, synchronous: 'NORMAL' }));
  const store = open();
  try {
    await migrate(store, collectionMigrations, now);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new Collection(store, new SqliteSearch(store), path === ':memory:' ? ownTransactions(store) : new SlicedTransactions(open));
}

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new Failure('storage', `The data directory ${folder} cannot be made`, {
      details: { data: folder },
      fix: { instruction: 'Name a folder that can be written: "data" in flowrag.config.json, or --data <folder>' },
      cause: error,
    });
  }
}

/** What is opened on first use, once; an attempt that failed is forgotten. */
export class Opened<Resource extends { close(): Promise<void> }> {
  readonly #open: () => Promise<Resource>;
  #opened: Promise<Resource> | undefined;

  constructor(open: () => Promise<Resource>) {
    this.#open = open;
  }

  get(): Promise<Resource> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }
}
