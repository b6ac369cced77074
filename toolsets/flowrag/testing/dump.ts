import { sql } from 'kysely';
import type { Collection } from '../store/collection.ts';

/** Everything that a collection knows, without the numbers that depend on the order in which it learnt it. */
export async function dumpCollection(collection: Collection): Promise<Record<string, unknown>> {
  const { db } = collection.store;
  const rows = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows;
  const place = sql`d.path || '#' || c.ordinal AS place`;
  const located = sql`chunks c JOIN documents d ON d.id = c.document_id`;
  const chunks = (await rows(sql`SELECT c.id, ${place} FROM ${located} ORDER BY d.path, c.ordinal`)) as { id: number; place: string }[];
  const placeOf = new Map(chunks.map((chunk) => [chunk.id, chunk.place]));
  const vectors = await collection.search.vectors(chunks.map((chunk) => chunk.id));
  const found = await collection.search.lexical(['kafka', 'orders', 'ledger', 'note'], 1000);
  return {
    documents: await rows(sql`SELECT path, hash, title, format, fields, bytes, stamp FROM documents ORDER BY path`),
    chunks: await rows(
      sql`SELECT ${place}, c.text, c.embed_hash, c.start_line, c.end_line, c.headings, c.tokens FROM ${located} ORDER BY 1`,
    ),
    vectors: chunks.map((chunk) => [chunk.place, vectors.get(chunk.id)?.join(' ')]),
    words: found.map(({ chunkId, score }) => `${placeOf.get(chunkId)} ${score.toFixed(6)}`).sort(),
    names: await rows(sql`SELECT name, documents FROM names ORDER BY name`),
    chunkNames:
      await rows(sql`SELECT ${place}, n.name, m.role FROM chunk_names m JOIN names n ON n.id = m.name_id JOIN chunks c ON c.id = m.chunk_id
      JOIN documents d ON d.id = c.document_id ORDER BY 1, 2`),
    entityMentions:
      await rows(sql`SELECT ${place}, m.key, m.name, m.type, m.description, m.fields FROM entity_mentions m JOIN chunks c ON c.id = m.chunk_id
      JOIN documents d ON d.id = c.document_id ORDER BY 1, 2`),
    aliasMentions: await rows(
      sql`SELECT d.path, m.key, m.alias_key FROM alias_mentions m JOIN documents d ON d.id = m.document_id ORDER BY 1, 2, 3`,
    ),
    relationMentions: await rows(sql`SELECT ${place}, m.source_key, m.type, m.target_key, m.line, m.confidence FROM relation_mentions m
      JOIN chunks c ON c.id = m.chunk_id JOIN documents d ON d.id = c.document_id ORDER BY 1, 2, 3, 4, 5`),
    merges: await rows(sql`SELECT alias_key, alias, key, name, origin FROM merges ORDER BY alias_key`),
    entities: await rows(sql`SELECT id, name, type, description, fields, mentions FROM entities ORDER BY id`),
    entityKeys: await rows(sql`SELECT key, entity_id, name FROM entity_keys ORDER BY key`),
    relations: await rows(
      sql`SELECT source_id, type, target_id, description, fields, confidence, inferred FROM relations ORDER BY 1, 2, 3`,
    ),
    counts: await collection.counts(),
  };
}

/** What the collection notes about itself under this key. */
export async function metaOf({ store: { db } }: Collection, key: string): Promise<string | undefined> {
  return (await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value;
}
