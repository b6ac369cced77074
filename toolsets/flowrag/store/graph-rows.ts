import type { Dialect, Statement } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import { among, insertRows, statement } from './rows.ts';
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
    const rows = yield* statement<{ key: string }>(
      db,
      sql`SELECT other.key AS key FROM entity_keys one JOIN entity_keys other ON other.entity_id = one.entity_id WHERE ${among(dialect, 'one.key', fresh)}
        UNION SELECT alias_key FROM alias_mentions WHERE ${among(dialect, 'key', fresh)}
        UNION SELECT key FROM alias_mentions WHERE ${among(dialect, 'alias_key', fresh)}
        UNION SELECT alias_key FROM merges WHERE ${among(dialect, 'key', fresh)}
        UNION SELECT key FROM merges WHERE ${among(dialect, 'alias_key', fresh)}`,
    );
    fresh = rows.map((row) => row.key).filter((key) => !keys.has(key));
    for (const key of fresh) keys.add(key);
  }
  return keys;
}

function* entityOfKeys(db: Kysely<Tables>, dialect: Dialect, keys: readonly string[]): Steps<Map<string, string>> {
  const rows = yield* statement<{ key: string; entity_id: string }>(
    db,
    sql`SELECT key, entity_id FROM entity_keys WHERE ${among(dialect, 'key', keys)}`,
  );
  return new Map(rows.map((row) => [row.key, row.entity_id]));
}

/** Which entity each key belongs to: what people and the configuration merged comes first, then unambiguous aliases of documents. */
function* identities(db: Kysely<Tables>, dialect: Dialect, keys: readonly string[]): Steps<Map<string, string>> {
  const merges = yield* statement<{ alias_key: string; key: string }>(
    db,
    sql`SELECT alias_key, key FROM merges WHERE ${among(dialect, 'alias_key', keys)}`,
  );
  const aliases = yield* statement<{ alias_key: string; key: string }>(
    db,
    sql`SELECT alias_key, MIN(key) AS key FROM alias_mentions WHERE ${among(dialect, 'alias_key', keys)} GROUP BY alias_key HAVING COUNT(DISTINCT key) = 1`,
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
  if (keys.length === 0) return;
  const counts = yield* statement<{ key: string; type: string; name: string; mentions: number }>(
    db,
    sql`SELECT key, type, name, COUNT(*) AS mentions FROM entity_mentions WHERE ${among(dialect, 'key', keys)} GROUP BY key, type, name`,
  );
  const names = yield* statement<{ key: string; name: string }>(
    db,
    sql`SELECT alias_key AS key, MIN(alias) AS name FROM alias_mentions WHERE ${among(dialect, 'alias_key', keys)} GROUP BY alias_key
      UNION ALL SELECT alias_key, alias FROM merges WHERE ${among(dialect, 'alias_key', keys)}
      UNION ALL SELECT key, MIN(name) FROM merges WHERE ${among(dialect, 'key', keys)} GROUP BY key`,
  );
  const descriptions = yield* statement<{ key: string; description: string }>(
    db,
    sql`SELECT DISTINCT key, description FROM entity_mentions WHERE ${among(dialect, 'key', keys)} AND description <> ''`,
  );
  const fields = yield* statement<{ key: string; fields: string }>(
    db,
    sql`SELECT DISTINCT key, fields FROM entity_mentions WHERE ${among(dialect, 'key', keys)} AND fields <> '{}'`,
  );
  const rows: EntitiesTable[] = [];
  const keyRows: EntityKeysTable[] = [];
  const givenNames = new Map(names.map((row) => [row.key, row.name]));
  for (const [id, members] of Map.groupBy(keys, (key) => after.get(key) as string)) {
    const isMember = new Set(members);
    const ofMembers = counts.filter((row) => isMember.has(row.key));
    if (ofMembers.length === 0) continue;
    const ownName = mostMentioned(
      ofMembers.filter((row) => row.key === id),
      (row) => row.name,
    );
    rows.push({
      id,
      name: ownName ?? givenNames.get(id) ?? id,
      type: mostMentioned(ofMembers, (row) => row.type) as string,
      description: longest(descriptions.filter((row) => isMember.has(row.key)).map((row) => row.description)),
      fields: merged(fields.filter((row) => isMember.has(row.key)).map((row) => row.fields)),
      mentions: ofMembers.reduce((sum, row) => sum + Number(row.mentions), 0),
    });
    for (const key of members) {
      const name =
        mostMentioned(
          ofMembers.filter((row) => row.key === key),
          (row) => row.name,
        ) ?? givenNames.get(key);
      keyRows.push({ key, entity_id: id, name: name ?? key });
    }
  }
  const gone = [...new Set([...before.values(), ...after.values()])];
  yield* statement(db, sql`DELETE FROM entities WHERE ${among(dialect, 'id', gone)}`);
  yield* statement(db, sql`DELETE FROM entity_keys WHERE ${among(dialect, 'key', keys)}`);
  yield* insertRows(db, dialect, 'entities', rows);
  yield* insertRows(db, dialect, 'entity_keys', keyRows);
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
    const ids = moved.map((key) => before.get(key) as string);
    yield* statement(db, sql`DELETE FROM relations WHERE ${among(dialect, 'source_id', ids)} OR ${among(dialect, 'target_id', ids)}`);
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
    const ids = moved.map((key) => before.get(key) as string);
    const rows = yield* statement<{ source_key: string; target_key: string }>(
      db,
      sql`SELECT DISTINCT m.source_key, m.target_key FROM relation_mentions m
        WHERE ${among(dialect, 'm.source_key', moved)} OR ${among(dialect, 'm.target_key', moved)}
        OR m.source_key IN (SELECT key FROM entity_keys WHERE ${among(dialect, 'entity_id', ids)})
        OR m.target_key IN (SELECT key FROM entity_keys WHERE ${among(dialect, 'entity_id', ids)})`,
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
