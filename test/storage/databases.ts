import { join } from 'node:path';
import { type Dialect, type Migration, openStorage, type Storage, type StorageOptions } from '@millrace/storage';
import { afterEach, beforeEach } from 'vitest';
import { onEachPlace, type Place, TestClock } from '../harness/databases.ts';

/** A new, empty database for one test; several storages can be opened on it, as several processes would. */
export interface TestDatabase {
  dialect: Dialect;
  clock: TestClock;
  /** What openStorage needs to reach it. */
  place: { home: string; databaseUrl?: string };
  open(options?: Partial<StorageOptions> & { migrations?: readonly Migration[] }): Promise<Storage>;
}

/** The same suite on SQLite and on a real Postgres. */
export function onEachDatabase(title: string, suite: (database: () => TestDatabase) => void): void {
  onEachPlace(title, (place) => suite(freshDatabase(place)));
}

function freshDatabase(place: () => Place): () => TestDatabase {
  let current: TestDatabase | undefined;
  let opened: Storage[];
  beforeEach(() => {
    opened = [];
    const clock = new TestClock();
    const where = storageAt(place());
    current = {
      dialect: place().dialect,
      clock,
      place: where,
      async open(options = {}) {
        const storage = await openStorage({ ...where, clock, migrations: [], ...options });
        opened.push(storage);
        return storage;
      },
    };
  });
  afterEach(() => Promise.all(opened.map((storage) => storage.close())));
  return () => {
    if (!current) throw new Error('the database is made before each test');
    return current;
  };
}

function storageAt(place: Place): TestDatabase['place'] {
  return place.dialect === 'sqlite' ? { home: join(place.folder, 'home') } : { home: '/nowhere', databaseUrl: place.databaseUrl };
}
