import type { TransactionBody } from '@millrace/storage';
import { sql } from 'kysely';
import type { Rows } from './rows.ts';
import type { Tables } from './tables.ts';

/** What a change may have changed in the graph: keys of entities, and pairs [source key, target key] of relations as JSON. */
export class Touched {
  readonly keys = new Set<string>();
  readonly #pairs = new Set<string>();

  add(...keys: readonly string[]): void {
    for (const key of keys) this.keys.add(key);
  }

  addPair(source: string, target: string): void {
    this.#pairs.add(JSON.stringify([source, target]));
  }

  get pairs(): [source: string, target: string][] {
    return [...this.#pairs].map((pair) => JSON.parse(pair));
  }
}

/** The entity that each key leads to. */
type Identities = ReadonlyMap<string, string>;

/**
 * Computes entities and relations again from the mentions, as far as they were touched. The outcome depends on the
 * mentions alone and not on the order in which they came: an updated collection equals a rebuilt one.
 */
export function* renewGraph(rows: Rows, touched: Touched): TransactionBody<void> {
  const keys = yield* withNeighbours(rows, touched.keys);
  const before = yield* storedIdentities(rows, keys);
  const after = yield* identities(rows, keys);
  yield* renewEntities(rows, keys, before, after);
  const moved = keys.filter((key) => before.has(key) && before.get(key) !== after.get(key));
  yield* renewRelations(rows, touched.pairs, moved, before);
}

/** The keys together with all that are, were or become one entity with them. */
function* withNeighbours(rows: Rows, start: ReadonlySet<string>): TransactionBody<string[]> {
  const keys = new Set(start);
  let fresh = [...start];
  while (fresh.length > 0) {
    const found = yield* rows.forEach(
      fresh,
      (among) => sql<{ key: string }>`
        SELECT other.key AS key FROM entity_keys one JOIN entity_keys other ON other.entity_id = one.entity_id WHERE ${among('one.key')}
        UNION SELECT alias_key FROM alias_mentions WHERE ${among('key')}
        UNION SELECT key FROM alias_mentions WHERE ${among('alias_key')}
        UNION SELECT alias_key FROM merges WHERE ${among('key')}
        UNION SELECT key FROM merges WHERE ${among('alias_key')}`,
    );
    fresh = [...new Set(found.map((row) => row.key))].filter((key) => !keys.has(key));
    for (const key of fresh) keys.add(key);
  }
  return [...keys];
}

function* storedIdentities(rows: Rows, keys: Iterable<string>): TransactionBody<Identities> {
  type Row = { key: string; entity_id: string };
  const found = yield* rows.forEach(keys, (among) => sql<Row>`SELECT key, entity_id FROM entity_keys WHERE ${among('key')}`);
  return new Map(found.map((row) => [row.key, row.entity_id]));
}

/** Which entity each key belongs to: what people and the configuration merged comes first, then unambiguous aliases of documents. */
function* identities(rows: Rows, keys: readonly string[]): TransactionBody<Identities> {
  type Alias = { alias_key: string; key: string };
  const merges = yield* rows.forEach(keys, (among) => sql<Alias>`SELECT alias_key, key FROM merges WHERE ${among('alias_key')}`);
  const aliases = yield* rows.forEach(
    keys,
    (among) => sql<Alias>`SELECT alias_key, MIN(key) AS key FROM alias_mentions WHERE ${among('alias_key')}
      GROUP BY alias_key HAVING COUNT(DISTINCT key) = 1`,
  );
  const parent = new Map<string, string>();
  for (const { alias_key, key } of [...aliases, ...merges]) if (alias_key !== key) parent.set(alias_key, key);
  return new Map(keys.map((key) => [key, rootOf(key, parent)]));
}

/** The end of the chain of aliases; the first by name where the chain is a circle. */
function rootOf(key: string, parent: ReadonlyMap<string, string>): string {
  const path = [key];
  for (let next = parent.get(key); next !== undefined; next = parent.get(next)) {
    if (path.includes(next)) return path.slice(path.indexOf(next)).sort()[0] ?? key;
    path.push(next);
  }
  return path.at(-1) ?? key;
}

function* renewEntities(rows: Rows, keys: readonly string[], before: Identities, after: Identities): TransactionBody<void> {
  const mentions = yield* mentionsOf(rows, keys);
  const entities: Tables['entities'][] = [];
  const entityKeys: Tables['entity_keys'][] = [];
  for (const [id, members] of Map.groupBy(keys, (key) => after.get(key) ?? key)) {
    const counts = members.flatMap((key) => mentions.counts.get(key) ?? []);
    const type = mostMentioned(counts, (row) => row.type);
    if (type === undefined) continue;
    const nameOf = (key: string) => mostMentioned(mentions.counts.get(key) ?? [], (row) => row.name) ?? mentions.names.get(key) ?? key;
    entities.push({
      id,
      name: nameOf(id),
      type,
      description: longest(members.flatMap((key) => mentions.descriptions.get(key) ?? []).map((row) => row.description)),
      fields: merged(members.flatMap((key) => mentions.fields.get(key) ?? []).map((row) => row.fields)),
      mentions: counts.reduce((sum, row) => sum + Number(row.mentions), 0),
    });
    for (const key of members) entityKeys.push({ key, entity_id: id, name: nameOf(key) });
  }
  const gone = new Set([...before.values(), ...after.values()]);
  yield* rows.forEach(gone, (among) => sql`DELETE FROM entities WHERE ${among('id')}`);
  yield* rows.forEach(keys, (among) => sql`DELETE FROM entity_keys WHERE ${among('key')}`);
  yield* rows.insert('entities', entities);
  yield* rows.insert('entity_keys', entityKeys);
}

interface Mentions {
  counts: ReadonlyMap<string, { key: string; type: string; name: string; mentions: number }[]>;
  descriptions: ReadonlyMap<string, { key: string; description: string }[]>;
  fields: ReadonlyMap<string, { key: string; fields: string }[]>;
  /** How aliases and merges write the key. */
  names: ReadonlyMap<string, string>;
}

/** How documents and people mention each key. */
function* mentionsOf(rows: Rows, keys: readonly string[]): TransactionBody<Mentions> {
  const counts = yield* rows.forEach(
    keys,
    (among) => sql<{ key: string; type: string; name: string; mentions: number }>`
      SELECT key, type, name, COUNT(*) AS mentions FROM entity_mentions WHERE ${among('key')} GROUP BY key, type, name`,
  );
  const names = yield* rows.forEach(
    keys,
    (among) => sql<{ key: string; name: string }>`
      SELECT alias_key AS key, MIN(alias) AS name FROM alias_mentions WHERE ${among('alias_key')} GROUP BY alias_key
      UNION ALL SELECT alias_key, alias FROM merges WHERE ${among('alias_key')}
      UNION ALL SELECT key, MIN(name) FROM merges WHERE ${among('key')} GROUP BY key`,
  );
  const descriptions = yield* rows.forEach(
    keys,
    (among) => sql<{ key: string; description: string }>`
      SELECT DISTINCT key, description FROM entity_mentions WHERE ${among('key')} AND description <> ''`,
  );
  const fields = yield* rows.forEach(
    keys,
    (among) => sql<{ key: string; fields: string }>`
      SELECT DISTINCT key, fields FROM entity_mentions WHERE ${among('key')} AND fields <> '{}'`,
  );
  return {
    counts: Map.groupBy(counts, (row) => row.key),
    descriptions: Map.groupBy(descriptions, (row) => row.key),
    fields: Map.groupBy(fields, (row) => row.key),
    names: new Map(names.map((row) => [row.key, row.name])),
  };
}

function mostMentioned<Row extends { mentions: number }>(rows: readonly Row[], value: (row: Row) => string): string | undefined {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(value(row), (sums.get(value(row)) ?? 0) + Number(row.mentions));
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

function longest(texts: readonly string[]): string {
  return [...texts].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))[0] ?? '';
}

function merged(fields: readonly string[]): string {
  const result: Record<string, unknown> = {};
  for (const text of [...fields].sort()) Object.assign(result, JSON.parse(text));
  return JSON.stringify(Object.fromEntries(Object.entries(result).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The relations of the touched pairs, and all relations of entities whose identity changed. */
function* renewRelations(
  rows: Rows,
  touched: readonly (readonly [string, string])[],
  moved: readonly string[],
  before: Identities,
): TransactionBody<void> {
  const left = new Set(moved.flatMap((key) => before.get(key) ?? []));
  yield* rows.forEach(left, (among) => sql`DELETE FROM relations WHERE ${among('source_id')}`);
  yield* rows.forEach(left, (among) => sql`DELETE FROM relations WHERE ${among('target_id')}`);
  const pairs = [...touched, ...(yield* pairsOf(rows, moved, left))];
  const after = yield* storedIdentities(rows, new Set(pairs.flat()));
  const idOf = (key: string) => after.get(key) ?? before.get(key) ?? key;
  const targets = new Map<string, Set<string>>();
  for (const [source, target] of pairs) targets.set(idOf(source), (targets.get(idOf(source)) ?? new Set()).add(idOf(target)));
  for (const [source, to] of targets) yield* renewRelationsOf(rows, source, to);
}

/** The pairs of keys between which relations are mentioned that involve a key that moved, or one of the entity that it left. */
function* pairsOf(rows: Rows, moved: readonly string[], left: ReadonlySet<string>): TransactionBody<[string, string][]> {
  const stayed = yield* rows.forEach(left, (among) => sql<{ key: string }>`SELECT key FROM entity_keys WHERE ${among('entity_id')}`);
  const mentioned = yield* rows.forEach(
    new Set([...moved, ...stayed.map((row) => row.key)]),
    (among) => sql<{ source_key: string; target_key: string }>`
      SELECT source_key, target_key FROM relation_mentions WHERE ${among('source_key')}
      UNION SELECT source_key, target_key FROM relation_mentions WHERE ${among('target_key')}`,
  );
  return mentioned.map((row) => [row.source_key, row.target_key]);
}

function* renewRelationsOf(rows: Rows, source: string, targets: ReadonlySet<string>): TransactionBody<void> {
  yield* rows.forEach(targets, (among) => sql`DELETE FROM relations WHERE source_id = ${source} AND ${among('target_id')}`);
  const mentions = yield* rows.forEach(
    targets,
    (among) => sql<Omit<Tables['relations'], 'id'>>`
      SELECT s.entity_id AS source_id, t.entity_id AS target_id, m.type, m.description, m.fields, MAX(m.confidence) AS confidence, MIN(m.inferred) AS inferred
      FROM entity_keys s JOIN relation_mentions m ON m.source_key = s.key JOIN entity_keys t ON t.key = m.target_key
      WHERE s.entity_id = ${source} AND ${among('t.entity_id')} AND t.entity_id <> s.entity_id
      GROUP BY s.entity_id, t.entity_id, m.type, m.description, m.fields`,
  );
  const relations = Map.groupBy(mentions, ({ target_id, type }) => JSON.stringify([target_id, type]));
  yield* rows.insert('relations', [...relations.values()].map(summarised));
}

function summarised(mentions: readonly Omit<Tables['relations'], 'id'>[]): Partial<Tables['relations']> {
  return {
    ...mentions[0],
    description: longest(mentions.map((mention) => mention.description)),
    fields: merged(mentions.map((mention) => mention.fields)),
    confidence: Math.max(...mentions.map((mention) => mention.confidence)),
    inferred: Math.min(...mentions.map((mention) => mention.inferred)),
  };
}
