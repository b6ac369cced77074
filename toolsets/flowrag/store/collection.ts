import type { Store, TransactionBody } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Format } from '../ingest/document.ts';
import type {
  Counts,
  EntityFilter,
  KnowledgeStore,
  NameRole,
  ScoredChunk,
  StoredChunk,
  StoredDocument,
  StoredEntity,
  StoredRelation,
} from '../ports.ts';
import type { FieldValue } from '../schema.ts';
import { among } from './rows.ts';
import type { SearchTables } from './search-tables.ts';
import type { Tables } from './tables.ts';

type Ids = readonly number[];
const MOST_EVIDENCE = 5;

interface ChunkRow {
  id: number;
  document_id: number;
  ordinal: number;
  text: string;
  start_line: number;
  end_line: number;
  headings: string;
  tokens: number;
  path: string;
  title: string;
  format: string;
}

/** How a collection is written: all or nothing, without standing in the way of those who read. */
export interface Transactions {
  run<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** The store's own transactions: those of Postgres wait for their statements anyway, and memory has but one connection. */
export function ownTransactions(store: Store<Tables>): Transactions {
  return { run: (body) => store.transaction(body), close: async () => {} };
}

/** What can be read of a collection, on either dialect. */
export class Collection implements KnowledgeStore {
  readonly store: Store<Tables>;
  readonly search: SearchTables;
  readonly transactions: Transactions;

  constructor(store: Store<Tables>, search: SearchTables, transactions: Transactions) {
    this.store = store;
    this.search = search;
    this.transactions = transactions;
  }

  async generation(): Promise<number> {
    return Number((await this.meta('generation')) ?? 0);
  }

  async meta(key: string): Promise<string | undefined> {
    const row = await this.store.db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
    return row?.value;
  }

  async counts(): Promise<Counts> {
    const [row] =
      await this.#rows<Counts>(sql`SELECT (SELECT COUNT(*) FROM documents) AS documents, (SELECT COUNT(*) FROM chunks) AS chunks,
      (SELECT COUNT(*) FROM entities) AS entities, (SELECT COUNT(*) FROM relations) AS relations, (SELECT COUNT(*) FROM vectors) AS vectors`);
    return row as Counts;
  }

  lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]> {
    return this.search.lexical(words, limit);
  }

  nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]> {
    return this.search.nearest(vector, limit);
  }

  vectors(chunkIds: Ids): Promise<Map<number, Float32Array>> {
    return this.search.vectors(chunkIds);
  }

  async chunks(ids: Ids): Promise<StoredChunk[]> {
    const rows =
      await this.#rows<ChunkRow>(sql`SELECT c.id, c.document_id, c.ordinal, c.text, c.start_line, c.end_line, c.headings, c.tokens,
      d.path, d.title, d.format FROM chunks c JOIN documents d ON d.id = c.document_id WHERE ${this.#among('c.id', ids)}`);
    const byId = new Map(rows.map((row) => [row.id, storedChunk(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async chunksOfDocuments(documentIds: Ids): Promise<StoredChunk[]> {
    const rows =
      await this.#rows<ChunkRow>(sql`SELECT c.id, c.document_id, c.ordinal, c.text, c.start_line, c.end_line, c.headings, c.tokens,
      d.path, d.title, d.format FROM chunks c JOIN documents d ON d.id = c.document_id
      WHERE ${this.#among('c.document_id', documentIds)} ORDER BY c.document_id, c.ordinal`);
    return rows.map(storedChunk);
  }

  async documents(ids: Ids): Promise<StoredDocument[]> {
    const rows = await this.#rows<{ id: number; path: string; title: string; format: string; fields: string; chunks: number }>(sql`
      SELECT d.id, d.path, d.title, d.format, d.fields, (SELECT COUNT(*) FROM chunks c WHERE c.document_id = d.id) AS chunks
      FROM documents d WHERE ${this.#among('d.id', ids)} ORDER BY d.path`);
    return rows.map((row) => ({ ...row, format: row.format as Format, fields: parsed(row.fields) }));
  }

  namesOfChunks(chunkIds: Ids): Promise<{ chunkId: number; name: string; role: NameRole; documents: number }[]> {
    return this.#rows(sql`SELECT c.chunk_id AS "chunkId", n.name, c.role, n.documents FROM chunk_names c JOIN names n ON n.id = c.name_id
      WHERE ${this.#among('c.chunk_id', chunkIds)} ORDER BY c.chunk_id, n.name`);
  }

  chunksWithNames(
    names: readonly string[],
    { roles, mostDocuments }: { roles?: readonly NameRole[]; mostDocuments?: number } = {},
  ): Promise<{ chunkId: number; documentId: number; name: string; role: NameRole }[]> {
    return this.#rows(sql`SELECT c.chunk_id AS "chunkId", c.document_id AS "documentId", n.name, c.role FROM names n JOIN chunk_names c ON c.name_id = n.id
      WHERE ${this.#among('n.name', names)} AND ${mostDocuments === undefined ? sql`1 = 1` : sql`n.documents <= ${mostDocuments}`}
      AND ${roles === undefined ? sql`1 = 1` : sql`c.role IN (${sql.join(roles)})`}`);
  }

  async entities({ type, query, limit }: EntityFilter): Promise<StoredEntity[]> {
    const part = `%${(query ?? '').toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.#rows<{
      id: string;
    }>(sql`SELECT e.id FROM entities e WHERE ${type === undefined ? sql`1 = 1` : sql`LOWER(e.type) = LOWER(${type})`}
      AND ${
        query === undefined
          ? sql`1 = 1`
          : sql`(LOWER(e.name) LIKE ${part} ESCAPE '\\' OR LOWER(e.description) LIKE ${part} ESCAPE '\\'
          OR EXISTS (SELECT 1 FROM entity_keys k WHERE k.entity_id = e.id AND LOWER(k.name) LIKE ${part} ESCAPE '\\'))`
      } ORDER BY e.mentions DESC, e.id LIMIT ${limit}`);
    return this.entitiesById(rows.map((row) => row.id));
  }

  async entitiesById(ids: readonly string[]): Promise<StoredEntity[]> {
    const rows = await this.#rows<{ id: string; name: string; type: string; description: string; fields: string; mentions: number }>(sql`
      SELECT id, name, type, description, fields, mentions FROM entities WHERE ${this.#among('id', ids)}`);
    const keys = await this.#rows<{ entity_id: string; name: string }>(sql`
      SELECT entity_id, name FROM entity_keys WHERE ${this.#among('entity_id', ids)} AND key <> entity_id ORDER BY name`);
    const aliases = Map.groupBy(keys, (key) => key.entity_id);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? [{ ...row, fields: parsed(row.fields), aliases: (aliases.get(id) ?? []).map((key) => key.name) }] : [];
    });
  }

  entitiesByKey(keys: readonly string[]): Promise<{ key: string; entityId: string }[]> {
    return this.#rows(sql`SELECT key, entity_id AS "entityId" FROM entity_keys WHERE ${this.#among('key', keys)} ORDER BY key`);
  }

  entitiesOfChunks(chunkIds: Ids): Promise<{ chunkId: number; entityId: string }[]> {
    return this.#rows(sql`SELECT DISTINCT m.chunk_id AS "chunkId", k.entity_id AS "entityId" FROM entity_mentions m JOIN entity_keys k ON k.key = m.key
      WHERE ${this.#among('m.chunk_id', chunkIds)} ORDER BY m.chunk_id, k.entity_id`);
  }

  chunksOfEntities(entityIds: readonly string[]): Promise<{ entityId: string; chunkId: number }[]> {
    return this.#rows(sql`SELECT DISTINCT k.entity_id AS "entityId", m.chunk_id AS "chunkId" FROM entity_keys k JOIN entity_mentions m ON m.key = k.key
      WHERE ${this.#among('k.entity_id', entityIds)} ORDER BY k.entity_id, m.chunk_id`);
  }

  async entityNames(): Promise<{ id: string; name: string; aliases: string[] }[]> {
    const entities = await this.#rows<{ id: string; name: string }>(sql`SELECT id, name FROM entities ORDER BY mentions DESC, id`);
    const keys = await this.#rows<{ entity_id: string; name: string }>(sql`
      SELECT entity_id, name FROM entity_keys WHERE key <> entity_id ORDER BY name`);
    const aliases = Map.groupBy(keys, (key) => key.entity_id);
    return entities.map(({ id, name }) => ({ id, name, aliases: (aliases.get(id) ?? []).map((key) => key.name) }));
  }

  async relationsOf(entityIds: readonly string[], { inferred }: { inferred: boolean }): Promise<StoredRelation[]> {
    const columns = sql`r.id, r.source_id AS "sourceId", s.name AS source, r.type, r.target_id AS "targetId", t.name AS target,
      r.description, r.fields, r.confidence, r.inferred`;
    const joined = sql`relations r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id`;
    const stated = inferred ? sql`1 = 1` : sql`r.inferred = 0`;
    const rows = await this.#rows<Omit<StoredRelation, 'fields' | 'inferred' | 'evidence'> & { fields: string; inferred: number }>(sql`
      SELECT ${columns} FROM ${joined} WHERE ${this.#among('r.source_id', entityIds)} AND ${stated}
      UNION SELECT ${columns} FROM ${joined} WHERE ${this.#among('r.target_id', entityIds)} AND ${stated}
      ORDER BY 3, 4, 6`);
    const evidence = await this.#evidence(entityIds);
    return rows.map((row) => ({
      ...row,
      fields: parsed(row.fields),
      inferred: row.inferred === 1,
      evidence: (evidence.get(JSON.stringify([row.sourceId, row.type, row.targetId])) ?? []).slice(0, MOST_EVIDENCE),
    }));
  }

  async #evidence(entityIds: readonly string[]): Promise<Map<string, StoredRelation['evidence']>> {
    const columns = sql`s.entity_id AS source, m.type, t.entity_id AS target, d.path, m.line, m.evidence AS text, m.confidence, m.inferred`;
    const joined = sql`relation_mentions m JOIN entity_keys s ON s.key = m.source_key JOIN entity_keys t ON t.key = m.target_key JOIN documents d ON d.id = m.document_id`;
    const rows = await this.#rows<{ source: string; type: string; target: string; path: string; line: number; text: string }>(sql`
      SELECT ${columns} FROM ${joined} WHERE ${this.#among('s.entity_id', entityIds)}
      UNION SELECT ${columns} FROM ${joined} WHERE ${this.#among('t.entity_id', entityIds)}
      ORDER BY 8, 7 DESC, 4, 5, 6`);
    const grouped = Map.groupBy(rows, (row) => JSON.stringify([row.source, row.type, row.target]));
    return new Map([...grouped].map(([key, group]) => [key, group.map(({ path, line, text }) => ({ path, line, text }))]));
  }

  coOccurrences(least: number): Promise<{ a: string; b: string; chunks: number }[]> {
    return this.#rows(sql`SELECT a.entity_id AS a, b.entity_id AS b, COUNT(DISTINCT m.chunk_id) AS chunks
      FROM entity_mentions m JOIN entity_mentions n ON n.chunk_id = m.chunk_id
      JOIN entity_keys a ON a.key = m.key JOIN entity_keys b ON b.key = n.key
      WHERE a.entity_id < b.entity_id GROUP BY a.entity_id, b.entity_id HAVING COUNT(DISTINCT m.chunk_id) >= ${least} ORDER BY 1, 2`);
  }

  async entityGraph(): ReturnType<KnowledgeStore['entityGraph']> {
    const entities = await this.#rows<{ id: string; name: string; type: string; mentions: number }>(sql`
      SELECT id, name, type, mentions FROM entities ORDER BY id`);
    const relations = await this.#rows<{ sourceId: string; targetId: string; type: string; confidence: number; inferred: number }>(sql`
      SELECT source_id AS "sourceId", target_id AS "targetId", type, confidence, inferred FROM relations ORDER BY source_id, target_id, type`);
    return { entities, relations: relations.map((row) => ({ ...row, inferred: row.inferred === 1 })) };
  }

  async close(): Promise<void> {
    await this.transactions.close();
    await this.store.close();
  }

  #among(column: string, values: readonly (string | number)[]): RawBuilder<boolean> {
    return among(this.store.dialect, column, values);
  }

  async #rows<Row>(query: RawBuilder<unknown>): Promise<Row[]> {
    return (await query.execute(this.store.db)).rows as Row[];
  }
}

function storedChunk(row: ChunkRow): StoredChunk {
  return {
    id: row.id,
    documentId: row.document_id,
    path: row.path,
    title: row.title,
    format: row.format as Format,
    ordinal: row.ordinal,
    text: row.text,
    startLine: row.start_line,
    endLine: row.end_line,
    headings: JSON.parse(row.headings) as string[],
    tokens: row.tokens,
  };
}

function parsed(fields: string): Record<string, FieldValue> {
  return JSON.parse(fields) as Record<string, FieldValue>;
}
