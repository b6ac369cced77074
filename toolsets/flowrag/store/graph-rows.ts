import type { Dialect, Statement } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import { among, forEach, insertRows, statement } from './rows.ts';
import type { EntitiesTable, EntityKeysTable, RelationsTable, Tables } from './tables.ts';

/** What a change may have changed in the graph: keys of entities, and pairs [source key, target key] of relations as JSON. */
export interface Touched {
  keys: Set<string>;
  pairs: Set<string>;
}

type Steps<Result> = Generator<Statement, Result, unknown[]>;
type Json = Record<string, unknown>;

/**
 * Computes entities and relations anew from the mentions, as far as they were touched. The outcome depends on the
 * mentions alone and not on the order in which they came: an updated collection equals a rebuilt one.
 */
export function* renewGraph(db: Kysely<Tables>, dialect: Dialect, touched: Touched): Steps<void> {
  const pairs = [...touched.pairs].map((pair) => JSON.parse(pair) as [string, string]);
  const keys = yield* withNeighbours(db, dialect, touched.keys);
  const before = yield* entityOfKeys(db, dialect, [...keys]);
  const after = yield* identities(db, dialect, [...keys]);
  yield* renewEntities(db, dialect, [...keys], before, after);
  const moved = [...keys].filter((key) => before.get(key) !== undefined && before.get(key) !== after.get(key));
  yield* renewRelations(db, dialect, pairs, moved, before);
}

/** The keys together with all that are, were or become one entity with them. */
function* withNeighbours(db: Kysely<Tables>, dialect: Dialect, start: ReadonlySet<string>): Steps<Set<string>> {
  const keys = new Set(start);
  let fresh = [...start];
  while (fresh.length > 0) {
    const rows = yield* forEach(
      db,
      fresh,
      (some) => sql<{ key: string }>`
        SELECT other.key AS key FROM entity_keys one JOIN entity_keys other ON other.entity_id = one.entity_id WHERE ${among(dialect, 'one.key', some)}
        UNION SELECT alias_key FROM alias_mentions WHERE ${among(dialect, 'key', some)}
        UNION SELECT key FROM alias_mentions WHERE ${among(dialect, 'alias_key', some)}
        UNION SELECT alias_key FROM merges WHERE ${among(dialect, 'key', some)}
        UNION SELECT key FROM merges WHERE ${among(dialect, 'alias_key', some)}`,
    );
    fresh = [...new Set(rows.map((row) => row.key))].filter((key) => !keys.has(key));
    for (const key of fresh) keys.add(key);
  }
  return keys;
}

function* entityOfKeys(db: Kysely<Tables>, dialect: Dialect, keys: readonly string[]): Steps<Map<string, string>> {
  const rows = yield* forEach(
    db,
    keys,
    (some) => sql<{ key: string; entity_id: string }>`SELECT key, entity_id FROM entity_keys WHERE ${among(dialect, 'key', some)}`,
  );
  return new Map(rows.map((row) => [row.key, row.entity_id]));
}

/** Which entity each key belongs to: what people and the configuration merged comes first, then unambiguous aliases of documents. */
function* identities(db: Kysely<Tables>, dialect: Dialect, keys: readonly string[]): Steps<Map<string, string>> {
  type Leads = { alias_key: string; key: string };
  const merges = yield* forEach(
    db,
    keys,
    (some) => sql<Leads>`SELECT alias_key, key FROM merges WHERE ${among(dialect, 'alias_key', some)}`,
  );
  const aliases = yield* forEach(
    db,
    keys,
    (some) => sql<Leads>`SELECT alias_key, MIN(key) AS key FROM alias_mentions WHERE ${among(dialect, 'alias_key', some)}
      GROUP BY alias_key HAVING COUNT(DISTINCT key) = 1`,
  );
  const parent = new Map<string, string>();
  for (const { alias_key, key } of [...aliases, ...merges]) if (alias_key !== key) parent.set(alias_key, key);
  return new Map(keys.map((key) => [key, rootOf(key, parent)]));
}

function rootOf(key: string, parent: ReadonlyMap<string, string>): string {
  const path = [key];
  for (let next = parent.get(key); next !== undefined; next = parent.get(next)) {
    if (path.includes(next)) return path.slice(path.indexOf(next)).sort()[0] as string;
    path.push(next);
  }
  return path.at(-1) as string;
}

function* renewEntities(
  db: Kysely<Tables>,
  dialect: Dialect,
  keys: readonly string[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Steps<void> {
  const said = yield* saidOfKeys(db, dialect, keys);
  const rows: EntitiesTable[] = [];
  const keyRows: EntityKeysTable[] = [];
  for (const [id, members] of Map.groupBy(keys, (key) => after.get(key) as string)) {
    const counts = members.flatMap((key) => said.counts.get(key) ?? []);
    if (counts.length === 0) continue;
    const nameOf = (key: string) => mostMentioned(said.counts.get(key) ?? [], (row) => row.name) ?? said.names.get(key) ?? key;
    rows.push({
      id,
      name: nameOf(id),
      type: mostMentioned(counts, (row) => row.type) as string,
      description: longest(members.flatMap((key) => said.descriptions.get(key) ?? []).map((row) => row.description)),
      fields: merged(members.flatMap((key) => said.fields.get(key) ?? []).map((row) => row.fields)),
      mentions: counts.reduce((sum, row) => sum + Number(row.mentions), 0),
    });
    for (const key of members) keyRows.push({ key, entity_id: id, name: nameOf(key) });
  }
  const gone = new Set([...before.values(), ...after.values()]);
  yield* forEach(db, gone, (some) => sql`DELETE FROM entities WHERE ${among(dialect, 'id', some)}`);
  yield* forEach(db, keys, (some) => sql`DELETE FROM entity_keys WHERE ${among(dialect, 'key', some)}`);
  yield* insertRows(db, dialect, 'entities', rows);
  yield* insertRows(db, dialect, 'entity_keys', keyRows);
}

interface Said {
  counts: ReadonlyMap<string, { key: string; type: string; name: string; mentions: number }[]>;
  descriptions: ReadonlyMap<string, { key: string; description: string }[]>;
  fields: ReadonlyMap<string, { key: string; fields: string }[]>;
  /** How aliases and merges write the key. */
  names: ReadonlyMap<string, string>;
}

/** What documents and people say of each key. */
function* saidOfKeys(db: Kysely<Tables>, dialect: Dialect, keys: readonly string[]): Steps<Said> {
  const counts = yield* forEach(
    db,
    keys,
    (some) => sql<{ key: string; type: string; name: string; mentions: number }>`
      SELECT key, type, name, COUNT(*) AS mentions FROM entity_mentions WHERE ${among(dialect, 'key', some)} GROUP BY key, type, name`,
  );
  const names = yield* forEach(
    db,
    keys,
    (some) => sql<{ key: string; name: string }>`
      SELECT alias_key AS key, MIN(alias) AS name FROM alias_mentions WHERE ${among(dialect, 'alias_key', some)} GROUP BY alias_key
      UNION ALL SELECT alias_key, alias FROM merges WHERE ${among(dialect, 'alias_key', some)}
      UNION ALL SELECT key, MIN(name) FROM merges WHERE ${among(dialect, 'key', some)} GROUP BY key`,
  );
  const descriptions = yield* forEach(
    db,
    keys,
    (some) => sql<{ key: string; description: string }>`
      SELECT DISTINCT key, description FROM entity_mentions WHERE ${among(dialect, 'key', some)} AND description <> ''`,
  );
  const fields = yield* forEach(
    db,
    keys,
    (some) => sql<{ key: string; fields: string }>`
      SELECT DISTINCT key, fields FROM entity_mentions WHERE ${among(dialect, 'key', some)} AND fields <> '{}'`,
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
  const result: Json = {};
  for (const text of [...fields].sort()) Object.assign(result, JSON.parse(text) as Json);
  return JSON.stringify(Object.fromEntries(Object.entries(result).sort(([a], [b]) => (a < b ? -1 : 1))));
}

interface MentionSummary {
  source_id: string;
  target_id: string;
  type: string;
  description: string;
  fields: string;
  confidence: number;
  inferred: number;
}

/** The relations of the touched pairs, and all relations of entities whose identity changed. */
function* renewRelations(
  db: Kysely<Tables>,
  dialect: Dialect,
  pairs: readonly (readonly [string, string])[],
  moved: readonly string[],
  before: ReadonlyMap<string, string>,
): Steps<void> {
  if (moved.length > 0) {
    const ids = new Set(moved.map((key) => before.get(key) as string));
    yield* forEach(db, ids, (some) => sql`DELETE FROM relations WHERE ${among(dialect, 'source_id', some)}`);
    yield* forEach(db, ids, (some) => sql`DELETE FROM relations WHERE ${among(dialect, 'target_id', some)}`);
  }
  const affected = yield* affectedEntities(db, dialect, pairs, moved, before);
  for (const [source, targets] of Map.groupBy(affected, ([id]) => id)) {
    const to = targets.map(([, id]) => id);
    yield* statement(db, sql`DELETE FROM relations WHERE source_id = ${source} AND ${among(dialect, 'target_id', to)}`);
    const mentions = yield* statement<MentionSummary>(
      db,
      sql`SELECT s.entity_id AS source_id, t.entity_id AS target_id, m.type, m.description, m.fields, MAX(m.confidence) AS confidence, MIN(m.inferred) AS inferred
        FROM entity_keys s JOIN relation_mentions m ON m.source_key = s.key JOIN entity_keys t ON t.key = m.target_key
        WHERE s.entity_id = ${source} AND ${among(dialect, 't.entity_id', to)} AND t.entity_id <> s.entity_id
        GROUP BY s.entity_id, t.entity_id, m.type, m.description, m.fields`,
    );
    yield* insertRows(db, dialect, 'relations', summarised(mentions));
  }
}

/** The touched pairs as pairs of entities, as they are now. */
function* affectedEntities(
  db: Kysely<Tables>,
  dialect: Dialect,
  pairs: readonly (readonly [string, string])[],
  moved: readonly string[],
  before: ReadonlyMap<string, string>,
): Steps<[string, string][]> {
  const all = [...pairs];
  if (moved.length > 0) {
    const ids = new Set(moved.map((key) => before.get(key) as string));
    const joined = yield* forEach(
      db,
      ids,
      (some) => sql<{ key: string }>`SELECT key FROM entity_keys WHERE ${among(dialect, 'entity_id', some)}`,
    );
    const keys = new Set([...moved, ...joined.map((row) => row.key)]);
    const rows = yield* forEach(
      db,
      keys,
      (some) => sql<{ source_key: string; target_key: string }>`
        SELECT source_key, target_key FROM relation_mentions WHERE ${among(dialect, 'source_key', some)}
        UNION SELECT source_key, target_key FROM relation_mentions WHERE ${among(dialect, 'target_key', some)}`,
    );
    for (const row of rows) all.push([row.source_key, row.target_key]);
  }
  if (all.length === 0) return [];
  const entityOf = yield* entityOfKeys(db, dialect, [...new Set(all.flat())]);
  const idOf = (key: string) => entityOf.get(key) ?? before.get(key) ?? key;
  const found = new Map<string, [string, string]>();
  for (const [source, target] of all) {
    const pair: [string, string] = [idOf(source), idOf(target)];
    found.set(JSON.stringify(pair), pair);
  }
  return [...found.values()];
}

function summarised(mentions: readonly MentionSummary[]): Omit<RelationsTable, 'id'>[] {
  const groups = Map.groupBy(mentions, (mention) => JSON.stringify([mention.source_id, mention.target_id, mention.type]));
  return [...groups.values()].map((group) => {
    const [{ source_id, target_id, type }] = group as [MentionSummary, ...MentionSummary[]];
    return {
      source_id,
      type,
      target_id,
      description: longest(group.map((mention) => mention.description)),
      fields: merged(group.map((mention) => mention.fields)),
      confidence: Math.max(...group.map((mention) => mention.confidence)),
      inferred: Math.min(...group.map((mention) => mention.inferred)),
    };
  });
}
