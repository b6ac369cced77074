import { randomBytes } from 'node:crypto';
import { Failure } from '@millrace/kernel';
import { migrate } from '@millrace/storage';
import { openPostgres, PostgresStore, postgresFailure } from '@millrace/storage/postgres';
import { collectionMigrations } from '../migrations.ts';
import { Collection } from './collection.ts';
import { readCollectionId, writeCollectionId } from './metadata.ts';
import { PostgresSearch } from './postgres-search.ts';
import type { Tables } from './tables.ts';
import { ownTransactions } from './transactions.ts';

/** Opens the data directory's collection: a schema of its own, so that the queries are those of a file of its own. */
export async function openPostgresCollection(url: string, data: string, now: Date): Promise<Collection> {
  const known = await readCollectionId(data);
  const id = known ?? randomBytes(6).toString('hex');
  const schema = `flowrag_${id}`;
  await makeSchema(url, schema);
  if (known === undefined) await writeCollectionId(data, id);
  const address = new URL(url);
  address.searchParams.set('options', `-c search_path=${schema},public`);
  const pool = openPostgres(address.toString());
  const store = new PostgresStore<Tables>(pool);
  try {
    await migrate(store, collectionMigrations, now);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new Collection(store, new PostgresSearch(store), ownTransactions(store));
}

/** No such extension, in two ways of saying it, and no right to create one or a schema. */
const UNFIT = ['58P01', '0A000', '42501'];

async function makeSchema(url: string, schema: string): Promise<void> {
  const pool = openPostgres(url);
  try {
    await pool.query('CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public');
    await pool.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  } catch (error) {
    if (!UNFIT.includes(String((error as { code?: unknown }).code))) throw postgresFailure(error);
    throw new Failure('storage', 'The Postgres server cannot hold a collection: it needs pgvector and the right to create a schema', {
      fix: { instruction: 'Install pgvector on the server and run: CREATE EXTENSION vector' },
      cause: error,
    });
  } finally {
    await pool.end();
  }
}
