import { all, type Dialect, first, run, type Statement, type TransactionBody } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import type { Chunk, Format } from '../ingest/document.ts';
import type { NameRole } from '../ports.ts';
import type { FieldValue } from '../schema.ts';
import { renewGraph, type Touched } from './graph-rows.ts';
import { among, forEach, insertReturning, insertRows, statement } from './rows.ts';
import type { SearchTables } from './search-tables.ts';
import type { Tables } from './tables.ts';

/** All that one document adds to a collection, computed beforehand: the transaction only writes it down. */
export interface Contribution {
  path: string;
  hash: string;
  title: string;
  format: Format;
  fields: Record<string, FieldValue>;
  bytes: number;
  modifiedMs: number;
  stamp: string;
  chunks: ContributedChunk[];
  entities: { ordinal: number; key: string; name: string; type: string; description: string; fields: Record<string, FieldValue> }[];
  aliases: { key: string; alias: string; aliasKey: string }[];
  relations: ContributedRelation[];
}

export interface ContributedChunk extends Chunk {
  embedHash: string;
  vector: Float32Array;
  names: { name: string; role: NameRole }[];
}

export interface ContributedRelation {
  ordinal: number;
  sourceKey: string;
  type: string;
  targetKey: string;
  description: string;
  fields: Record<string, FieldValue>;
  confidence: number;
  inferred: boolean;
  line: number;
  evidence: string;
}

const REMOVED_AT_ONCE = 100;
const NAMED_AT_ONCE = 100;

export interface WriteContext {
  dialect: Dialect;
  search: SearchTables;
  now: Date;
}

/** Takes back what the path contributed before and adds the new, as one change. */
export function* replaceDocument(db: Kysely<Tables>, context: WriteContext, contribution: Contribution): TransactionBody<void> {
  const touched = yield* retract(db, context, contribution.path);
  yield* contribute(db, context, contribution, touched);
  yield* renewGraph(db, context.dialect, touched);
  yield* nextGeneration(db);
}

export function* removeDocuments(db: Kysely<Tables>, context: WriteContext, paths: readonly string[]): TransactionBody<void> {
  const touched: Touched = { keys: new Set(), pairs: new Set() };
  for (const path of paths) yield* retract(db, context, path, touched);
  yield* renewGraph(db, context.dialect, touched);
  yield* nextGeneration(db);
}

export function* nextGeneration(db: Kysely<Tables>): Generator<Statement, void, unknown[]> {
  yield* statement(
    db,
    sql`INSERT INTO meta (key, value) VALUES ('generation', '1')
      ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)`,
  );
}

function* retract(
  db: Kysely<Tables>,
  { dialect, search }: WriteContext,
  path: string,
  touched: Touched = { keys: new Set(), pairs: new Set() },
): Generator<Statement, Touched, unknown[]> {
  const document = yield* first(db.selectFrom('documents').select('id').where('path', '=', path));
  if (!document) return touched;
  const { id } = document;
  for (const { key } of yield* all(db.selectFrom('entity_mentions').select('key').distinct().where('document_id', '=', id)))
    touched.keys.add(key);
  for (const row of yield* all(db.selectFrom('alias_mentions').select(['key', 'alias_key']).where('document_id', '=', id))) {
    touched.keys.add(row.key).add(row.alias_key);
  }
  const related = yield* all(
    db.selectFrom('relation_mentions').select(['source_key', 'target_key']).distinct().where('document_id', '=', id),
  );
  for (const row of related) touched.pairs.add(JSON.stringify([row.source_key, row.target_key]));
  yield* search.remove(db, id);
  yield* run(db.deleteFrom('relation_mentions').where('document_id', '=', id));
  const carried = (yield* all(db.selectFrom('chunk_names').select('name_id').distinct().where('document_id', '=', id))).map(
    (row) => row.name_id,
  );
  yield* forEach(db, carried, (some) => sql`UPDATE names SET documents = documents - 1 WHERE ${among(dialect, 'id', some)}`);
  yield* forEach(db, carried, (some) => sql`DELETE FROM names WHERE documents <= 0 AND ${among(dialect, 'id', some)}`);
  yield* removeChunks(db, id);
  yield* run(db.deleteFrom('documents').where('id', '=', id));
  return touched;
}

/** A few at a time, since much goes with each of them. */
function* removeChunks(db: Kysely<Tables>, documentId: number): Generator<Statement, void, unknown[]> {
  const last = yield* first(
    db
      .selectFrom('chunks')
      .select(({ fn }) => fn.max('ordinal').as('ordinal'))
      .where('document_id', '=', documentId),
  );
  for (let start = 0; start <= Number(last?.ordinal ?? -1); start += REMOVED_AT_ONCE) {
    yield* run(
      db
        .deleteFrom('chunks')
        .where('document_id', '=', documentId)
        .where('ordinal', '<', start + REMOVED_AT_ONCE),
    );
  }
}

function* contribute(
  db: Kysely<Tables>,
  { dialect, search, now }: WriteContext,
  contribution: Contribution,
  touched: Touched,
): Generator<Statement, void, unknown[]> {
  const [document] = (yield* insertReturning(
    db,
    dialect,
    'documents',
    [
      {
        path: contribution.path,
        hash: contribution.hash,
        title: contribution.title,
        format: contribution.format,
        fields: JSON.stringify(contribution.fields),
        bytes: contribution.bytes,
        modified_ms: contribution.modifiedMs,
        stamp: contribution.stamp,
        indexed_at: now.toISOString(),
      },
    ],
    ['id'],
  )) as [{ id: number }];
  const chunkIds = yield* addChunks(db, dialect, document.id, contribution.chunks);
  yield* search.add(db, contribution.title, contribution.chunks, chunkIds);
  yield* addNames(db, dialect, document.id, contribution.chunks, chunkIds);
  const chunkId = (ordinal: number) => chunkIds[ordinal] as number;
  yield* insertRows(
    db,
    dialect,
    'entity_mentions',
    contribution.entities.map(({ ordinal, fields, ...mention }) => {
      touched.keys.add(mention.key);
      return { chunk_id: chunkId(ordinal), document_id: document.id, ...mention, fields: JSON.stringify(fields) };
    }),
  );
  yield* insertRows(
    db,
    dialect,
    'alias_mentions',
    contribution.aliases.map(({ key, alias, aliasKey }) => {
      touched.keys.add(key).add(aliasKey);
      return { document_id: document.id, key, alias_key: aliasKey, alias };
    }),
  );
  yield* insertRows(
    db,
    dialect,
    'relation_mentions',
    contribution.relations.map((relation) => {
      touched.pairs.add(JSON.stringify([relation.sourceKey, relation.targetKey]));
      return {
        document_id: document.id,
        chunk_id: chunkId(relation.ordinal),
        source_key: relation.sourceKey,
        type: relation.type,
        target_key: relation.targetKey,
        description: relation.description,
        fields: JSON.stringify(relation.fields),
        confidence: relation.confidence,
        inferred: relation.inferred ? 1 : 0,
        line: relation.line,
        evidence: relation.evidence,
      };
    }),
  );
}

function* addChunks(
  db: Kysely<Tables>,
  dialect: Dialect,
  documentId: number,
  chunks: readonly ContributedChunk[],
): Generator<Statement, number[], unknown[]> {
  const rows = (yield* insertReturning(
    db,
    dialect,
    'chunks',
    chunks.map((chunk) => ({
      document_id: documentId,
      ordinal: chunk.ordinal,
      text: chunk.text,
      embed_hash: chunk.embedHash,
      start_line: chunk.startLine,
      end_line: chunk.endLine,
      headings: JSON.stringify(chunk.headings),
      tokens: chunk.tokens,
    })),
    ['id', 'ordinal'],
  )) as { id: number; ordinal: number }[];
  const ids: number[] = [];
  for (const row of rows) ids[row.ordinal] = row.id;
  return ids;
}

function* addNames(
  db: Kysely<Tables>,
  dialect: Dialect,
  documentId: number,
  chunks: readonly ContributedChunk[],
  chunkIds: readonly number[],
): Generator<Statement, void, unknown[]> {
  const distinct = new Set(chunks.flatMap((chunk) => chunk.names.map(({ name }) => name)));
  const rows = (yield* insertReturning(
    db,
    dialect,
    'names',
    [...distinct].map((name) => ({ name, documents: 1 })),
    ['id', 'name'],
    sql`ON CONFLICT (name) DO UPDATE SET documents = names.documents + 1`,
  )) as { id: number; name: string }[];
  const idOf = new Map(rows.map((row) => [row.name, row.id]));
  for (let start = 0; start < chunks.length; start += NAMED_AT_ONCE) {
    const carried = chunks.slice(start, start + NAMED_AT_ONCE).flatMap((chunk) =>
      chunk.names.map(({ name, role }) => ({
        name_id: idOf.get(name) as number,
        chunk_id: chunkIds[chunk.ordinal] as number,
        document_id: documentId,
        role,
      })),
    );
    yield* insertRows(db, dialect, 'chunk_names', carried);
  }
}
