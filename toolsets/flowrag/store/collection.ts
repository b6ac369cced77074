import type { Clock } from '@millrace/kernel';
import { isHeld, type Store } from '@millrace/storage';
import { type RawBuilder, sql } from 'kysely';
import type { Chunk, Format } from '../document/document.ts';
import type { NameRole } from '../names/titles.ts';
import type { FieldValue } from '../schema.ts';
import { among } from './rows.ts';
import type { SearchTables } from './search-tables.ts';
import type { Tables } from './tables.ts';
import type { Transactions } from './transactions.ts';

export interface StoredChunk extends Chunk {
  id: number;
  documentId: number;
  path: string;
  title: string;
  format: Format;
}

export interface StoredEntity {
  /** The normalised name, as entityKey makes it. */
  id: string;
  name: string;
  type: string;
  description: string;
  fields: Record<string, FieldValue>;
  aliases: string[];
  /** How many chunks mention it. */
  mentions: number;
}

export interface StoredRelation {
  id: number;
  sourceId: string;
  source: string;
  type: string;
  targetId: string;
  target: string;
  description: string;
  fields: Record<string, FieldValue>;
  confidence: number;
  inferred: boolean;
  /** The strongest evidence first. */
  evidence: { path: string; line: number; text: string }[];
}

export interface EntityFilter {
  type?: string;
  /** Part of the name, an alias or the description, in any case. */
  query?: string;
  limit: number;
}

export interface Counts {
  documents: number;
  chunks: number;
  entities: number;
  relations: number;
  vectors: number;
}

/** A chunk that carries a name. */
export interface NameCarrier {
  chunkId: number;
  documentId: number;
  name: string;
  role: NameRole;
}

/** What an indexing run holds: one at a time over all processes. */
export const INDEX_LEASE = 'index';

type Ids = readonly number[];
const MOST_EVIDENCE = 5;
const ANY = sql<boolean>`1 = 1`;

/** What can be read of a collection, on either dialect. Lists of ids may be long; unknown ids are left out. */
export class Collection {
  readonly store: Store<Tables>;
  readonly search: SearchTables;
  readonly transactions: Transactions;

  constructor(store: Store<Tables>, search: SearchTables, transactions: Transactions) {
    this.store = store;
    this.search = search;
    this.transactions = transactions;
  }

  /** Whether an indexing run is at work, in this process or another. */
  async isBeingIndexed(clock: Clock): Promise<boolean> {
    const lease = await this.store.db.selectFrom('leases').selectAll().where('name', '=', INDEX_LEASE).executeTakeFirst();
    return lease !== undefined && isHeld({ holder: lease.holder, until: new Date(lease.expires_at).toISOString() }, clock);
  }

  async counts(): Promise<Counts> {
    const [row] =
      await this.#rows(sql<Counts>`SELECT (SELECT COUNT(*) FROM documents) AS documents, (SELECT COUNT(*) FROM chunks) AS chunks,
      (SELECT COUNT(*) FROM entities) AS entities, (SELECT COUNT(*) FROM relations) AS relations, (SELECT COUNT(*) FROM vectors) AS vectors`);
    return row ?? { documents: 0, chunks: 0, entities: 0, relations: 0, vectors: 0 };
  }

  async chunks(ids: Ids): Promise<StoredChunk[]> {
    const rows = await this.#rows(sql<Omit<StoredChunk, 'headings'> & { headings: string }>`
      SELECT c.id, c.document_id AS "documentId", d.path, d.title, d.format, c.ordinal, c.text, c.start_line AS "startLine",
      c.end_line AS "endLine", c.headings, c.tokens FROM chunks c JOIN documents d ON d.id = c.document_id WHERE ${this.#among('c.id', ids)}`);
    const byId = new Map(rows.map((row) => [row.id, { ...row, headings: JSON.parse(row.headings) }]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The names that chunks carry, with how many documents have each. */
  namesOfChunks(chunkIds: Ids): Promise<(Omit<NameCarrier, 'documentId'> & { documents: number })[]> {
    return this.#rows(sql`SELECT c.chunk_id AS "chunkId", n.name, c.role, n.documents FROM chunk_names c JOIN names n ON n.id = c.name_id
      WHERE ${this.#among('c.chunk_id', chunkIds)} ORDER BY c.chunk_id, n.name`);
  }

  chunksWithNames(
    names: readonly string[],
    { roles, mostDocuments }: { roles?: readonly NameRole[]; mostDocuments?: number } = {},
  ): Promise<NameCarrier[]> {
    return this.#rows(sql`SELECT c.chunk_id AS "chunkId", c.document_id AS "documentId", n.name, c.role FROM names n JOIN chunk_names c ON c.name_id = n.id
      WHERE ${this.#among('n.name', names)} AND ${mostDocuments === undefined ? ANY : sql`n.documents <= ${mostDocuments}`}
      AND ${roles === undefined ? ANY : sql`c.role IN (${sql.join(roles)})`}`);
  }

  async entities({ type, query, limit }: EntityFilter): Promise<StoredEntity[]> {
    const part = `%${(query ?? '').toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const matches = sql`(LOWER(e.name) LIKE ${part} ESCAPE '\\' OR LOWER(e.description) LIKE ${part} ESCAPE '\\'
      OR EXISTS (SELECT 1 FROM entity_keys k WHERE k.entity_id = e.id AND LOWER(k.name) LIKE ${part} ESCAPE '\\'))`;
    const rows = await this.#rows(sql<{ id: string }>`SELECT e.id FROM entities e
      WHERE ${type === undefined ? ANY : sql`LOWER(e.type) = LOWER(${type})`} AND ${query === undefined ? ANY : matches}
      ORDER BY e.mentions DESC, e.id LIMIT ${limit}`);
    return this.entitiesById(rows.map((row) => row.id));
  }

  async entitiesById(ids: readonly string[]): Promise<StoredEntity[]> {
    const rows = await this.#rows(sql<Omit<StoredEntity, 'fields' | 'aliases'> & { fields: string }>`
      SELECT id, name, type, description, fields, mentions FROM entities WHERE ${this.#among('id', ids)}`);
    const aliases = await this.#aliases(this.#among('entity_id', ids));
    const byId = new Map(rows.map((row) => [row.id, { ...row, fields: JSON.parse(row.fields), aliases: aliases(row.id) }]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Entities that have one of these keys (see entityKey) as their name or as an alias. */
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

  /** All entities that a name could mean. */
  async entityNames(): Promise<{ id: string; name: string; aliases: string[] }[]> {
    const entities = await this.#rows(sql<{ id: string; name: string }>`SELECT id, name FROM entities ORDER BY mentions DESC, id`);
    const aliases = await this.#aliases(ANY);
    return entities.map(({ id, name }) => ({ id, name, aliases: aliases(id) }));
  }

  async #aliases(wanted: RawBuilder<boolean>): Promise<(entityId: string) => string[]> {
    const rows = await this.#rows(sql<{ entity_id: string; name: string }>`
      SELECT entity_id, name FROM entity_keys WHERE ${wanted} AND key <> entity_id ORDER BY name`);
    const aliases = Map.groupBy(rows, (row) => row.entity_id);
    return (entityId) => (aliases.get(entityId) ?? []).map((row) => row.name);
  }

  async relationsOf(entityIds: readonly string[], { inferred }: { inferred: boolean }): Promise<StoredRelation[]> {
    const columns = sql`r.id, r.source_id AS "sourceId", s.name AS source, r.type, r.target_id AS "targetId", t.name AS target,
      r.description, r.fields, r.confidence, r.inferred`;
    const joined = sql`relations r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id`;
    const stated = inferred ? ANY : sql`r.inferred = 0`;
    const rows = await this.#rows(sql<Omit<StoredRelation, 'fields' | 'inferred' | 'evidence'> & { fields: string; inferred: number }>`
      SELECT ${columns} FROM ${joined} WHERE ${this.#among('r.source_id', entityIds)} AND ${stated}
      UNION SELECT ${columns} FROM ${joined} WHERE ${this.#among('r.target_id', entityIds)} AND ${stated}
      ORDER BY 3, 4, 6`);
    const evidence = await this.#evidence(entityIds);
    return rows.map((row) => ({
      ...row,
      fields: JSON.parse(row.fields),
      inferred: row.inferred === 1,
      evidence: (evidence.get(JSON.stringify([row.sourceId, row.type, row.targetId])) ?? []).slice(0, MOST_EVIDENCE),
    }));
  }

  async #evidence(entityIds: readonly string[]): Promise<Map<string, StoredRelation['evidence']>> {
    const columns = sql`s.entity_id AS source, m.type, t.entity_id AS target, d.path, m.line, m.evidence AS text, m.confidence, m.inferred`;
    const joined = sql`relation_mentions m JOIN entity_keys s ON s.key = m.source_key JOIN entity_keys t ON t.key = m.target_key JOIN documents d ON d.id = m.document_id`;
    const rows = await this.#rows(sql<{ source: string; type: string; target: string; path: string; line: number; text: string }>`
      SELECT ${columns} FROM ${joined} WHERE ${this.#among('s.entity_id', entityIds)}
      UNION SELECT ${columns} FROM ${joined} WHERE ${this.#among('t.entity_id', entityIds)}
      ORDER BY 8, 7 DESC, 4, 5, 6`);
    const grouped = Map.groupBy(rows, (row) => JSON.stringify([row.source, row.type, row.target]));
    return new Map([...grouped].map(([key, group]) => [key, group.map(({ path, line, text }) => ({ path, line, text }))]));
  }

  async close(): Promise<void> {
    await this.transactions.close();
    await this.store.close();
  }

  #among(column: string, values: readonly (string | number)[]): RawBuilder<boolean> {
    return among(this.store.dialect, column, values);
  }

  async #rows<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return (await query.execute(this.store.db)).rows;
  }
}
