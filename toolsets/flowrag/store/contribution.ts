import { all, type Dialect, first, run, type TransactionBody } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import type { Chunk, Format } from '../document/document.ts';
import type { FoundName } from '../names/titles.ts';
import type { FieldValue } from '../schema.ts';
import { renewGraph, Touched } from './graph-rows.ts';
import { Rows, statement } from './rows.ts';
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
  names: FoundName[];
}

/** With the id of its row. */
export interface InsertedChunk extends ContributedChunk {
  id: number;
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

/** Changes the documents of a collection and the graph that follows from them, within one transaction. */
export class DocumentRows {
  readonly #db: Kysely<Tables>;
  readonly #rows: Rows;
  readonly #search: SearchTables;
  readonly #touched = new Touched();

  constructor(db: Kysely<Tables>, dialect: Dialect, search: SearchTables) {
    this.#db = db;
    this.#rows = new Rows(db, dialect);
    this.#search = search;
  }

  /** Takes back what the path contributed before and adds the new, as one change. */
  *replace(contribution: Contribution, now: Date): TransactionBody<void> {
    yield* this.#retract(contribution.path);
    yield* this.#contribute(contribution, now);
    yield* this.#finish();
  }

  *remove(paths: readonly string[]): TransactionBody<void> {
    for (const path of paths) yield* this.#retract(path);
    yield* this.#finish();
  }

  *#finish(): TransactionBody<void> {
    yield* renewGraph(this.#rows, this.#touched);
    yield* nextGeneration(this.#db);
  }

  *#retract(path: string): TransactionBody<void> {
    const db = this.#db;
    const document = yield* first(db.selectFrom('documents').select('id').where('path', '=', path));
    if (!document) return;
    const { id } = document;
    for (const { key } of yield* all(db.selectFrom('entity_mentions').select('key').distinct().where('document_id', '=', id)))
      this.#touched.add(key);
    for (const row of yield* all(db.selectFrom('alias_mentions').select(['key', 'alias_key']).where('document_id', '=', id)))
      this.#touched.add(row.key, row.alias_key);
    const related = db.selectFrom('relation_mentions').select(['source_key', 'target_key']).distinct().where('document_id', '=', id);
    for (const row of yield* all(related)) this.#touched.addPair(row.source_key, row.target_key);
    yield* this.#search.remove(db, id);
    yield* run(db.deleteFrom('relation_mentions').where('document_id', '=', id));
    const carried = yield* all(db.selectFrom('chunk_names').select('name_id').distinct().where('document_id', '=', id));
    const nameIds = carried.map((row) => row.name_id);
    yield* this.#rows.forEach(nameIds, (among) => sql`UPDATE names SET documents = documents - 1 WHERE ${among('id')}`);
    yield* this.#rows.forEach(nameIds, (among) => sql`DELETE FROM names WHERE documents <= 0 AND ${among('id')}`);
    yield* this.#removeChunks(id);
    yield* run(db.deleteFrom('documents').where('id', '=', id));
  }

  /** A few at a time, since many rows go with each of them. */
  *#removeChunks(documentId: number): TransactionBody<void> {
    const chunks = this.#db.selectFrom('chunks').where('document_id', '=', documentId);
    const last = yield* first(chunks.select(({ fn }) => fn.max('ordinal').as('ordinal')));
    for (let end = REMOVED_AT_ONCE; end - REMOVED_AT_ONCE <= Number(last?.ordinal ?? -1); end += REMOVED_AT_ONCE)
      yield* run(this.#db.deleteFrom('chunks').where('document_id', '=', documentId).where('ordinal', '<', end));
  }

  *#contribute(contribution: Contribution, now: Date): TransactionBody<void> {
    const { path, hash, title, format, bytes, modifiedMs, stamp, chunks } = contribution;
    const fields = JSON.stringify(contribution.fields);
    const row = { path, hash, title, format, fields, bytes, modified_ms: modifiedMs, stamp, indexed_at: now.toISOString() };
    for (const { id } of yield* this.#rows.insert('documents', [row], ['id'])) {
      const inserted = yield* this.#addChunks(id, chunks);
      yield* this.#search.add(this.#db, title, inserted);
      yield* this.#addNames(id, inserted);
      yield* this.#addMentions(id, contribution, new Map(inserted.map((chunk) => [chunk.ordinal, chunk.id])));
    }
  }

  *#addChunks(documentId: number, chunks: readonly ContributedChunk[]): TransactionBody<InsertedChunk[]> {
    const rows = chunks.map(({ ordinal, text, embedHash, startLine, endLine, headings, tokens }) => ({
      ...{ document_id: documentId, ordinal, text, embed_hash: embedHash, start_line: startLine, end_line: endLine },
      ...{ headings: JSON.stringify(headings), tokens },
    }));
    const inserted = yield* this.#rows.insert('chunks', rows, ['id', 'ordinal']);
    const ids = new Map(inserted.map((row) => [row.ordinal, row.id]));
    return chunks.map((chunk) => ({ ...chunk, id: ids.get(chunk.ordinal) as number }));
  }

  *#addNames(documentId: number, chunks: readonly InsertedChunk[]): TransactionBody<void> {
    const distinct = new Set(chunks.flatMap((chunk) => chunk.names.map(({ name }) => name)));
    const rows = yield* this.#rows.insert(
      'names',
      [...distinct].map((name) => ({ name, documents: 1 })),
      ['id', 'name'],
      sql`ON CONFLICT (name) DO UPDATE SET documents = names.documents + 1`,
    );
    const idOf = new Map(rows.map((row) => [row.name, row.id]));
    for (let start = 0; start < chunks.length; start += NAMED_AT_ONCE) {
      const carried = chunks
        .slice(start, start + NAMED_AT_ONCE)
        .flatMap(({ id, names }) =>
          names.map(({ name, role }) => ({ name_id: idOf.get(name) as number, chunk_id: id, document_id: documentId, role })),
        );
      yield* this.#rows.insert('chunk_names', carried);
    }
  }

  *#addMentions(
    documentId: number,
    { entities, aliases, relations }: Contribution,
    chunkIds: ReadonlyMap<number, number>,
  ): TransactionBody<void> {
    const place = (ordinal: number) => ({ document_id: documentId, chunk_id: chunkIds.get(ordinal) as number });
    for (const { key } of entities) this.#touched.add(key);
    for (const { key, aliasKey } of aliases) this.#touched.add(key, aliasKey);
    for (const { sourceKey, targetKey } of relations) this.#touched.addPair(sourceKey, targetKey);
    yield* this.#rows.insert(
      'entity_mentions',
      entities.map(({ ordinal, fields, ...mention }) => ({ ...place(ordinal), ...mention, fields: JSON.stringify(fields) })),
    );
    yield* this.#rows.insert(
      'alias_mentions',
      aliases.map(({ key, alias, aliasKey }) => ({ document_id: documentId, key, alias_key: aliasKey, alias })),
    );
    yield* this.#rows.insert(
      'relation_mentions',
      relations.map(({ ordinal, sourceKey, targetKey, fields, inferred, ...mention }) => ({
        ...place(ordinal),
        ...mention,
        source_key: sourceKey,
        target_key: targetKey,
        fields: JSON.stringify(fields),
        inferred: inferred ? 1 : 0,
      })),
    );
  }
}

export function* nextGeneration(db: Kysely<Tables>): TransactionBody<void> {
  yield* statement(
    db,
    sql`INSERT INTO meta (key, value) VALUES ('generation', '1')
      ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)`,
  );
}
