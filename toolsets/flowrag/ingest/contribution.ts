import { createHash } from 'node:crypto';
import type { Embedder } from '@millrace/models';
import type { Extraction, NameRole } from '../ports.ts';
import { entityKey, fieldsOf, type GraphSchema, givenFields } from '../schema.ts';
import type { Contribution } from '../store/contribution.ts';
import { embeddedText } from './chunk.ts';
import { type Chunk, chunksByLine, type ParsedDocument } from './document.ts';
import type { FoundFile } from './scan.ts';
import { each } from './slices.ts';

export type ChunkNames = (
  document: { title: string; path: string },
  chunk: { ordinal: number; text: string; headings: string[] },
) => { name: string; role: NameRole }[];

export interface ContributionParts {
  file: FoundFile;
  document: ParsedDocument;
  chunks: readonly Chunk[];
  /** What was embedded of each chunk, by its hash. */
  hashes: readonly string[];
  vectors: readonly Float32Array[];
  extraction: Extraction;
  schema: GraphSchema;
  stamp: string;
  /** The names of each chunk. */
  names: readonly { name: string; role: NameRole }[][];
}

const LONGEST_NAME = 200;
const LONGEST_TEXT = 1000;

/** What a document adds to the collection: only what the schema knows, each thing once a chunk, in a fixed order. */
export function* contributionOf(parts: ContributionParts): Generator<void, Contribution, void> {
  const { file, document, chunks, hashes, vectors, schema } = parts;
  const entities = yield* entityMentions(parts);
  const present = new Set(entities.map((mention) => mention.key));
  const aliases = aliasMentions(parts.extraction, present);
  const relations = relationMentions(parts, present);
  return {
    path: document.path,
    hash: document.hash,
    title: document.title,
    format: document.format,
    fields: fieldsOf(schema.documentFields, document.frontMatter),
    bytes: file.bytes,
    modifiedMs: file.changedMs,
    stamp: parts.stamp,
    chunks: yield* each(chunks, (chunk, index) => ({
      ...chunk,
      embedHash: hashes[index] as string,
      vector: vectors[index] as Float32Array,
      names: uniqueNames(parts.names[index] as { name: string; role: NameRole }[]),
    })),
    entities,
    aliases,
    relations,
  };
}

export function embedHash(title: string, chunk: Chunk): string {
  return createHash('sha256').update(embeddedText(title, chunk)).digest('hex').slice(0, 32);
}

/** Vectors of chunks that the collection has already, and of the others from the embedder. */
export async function vectorsOf(
  document: ParsedDocument,
  chunks: readonly Chunk[],
  hashes: readonly string[],
  known: ReadonlyMap<string, Float32Array>,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const found = hashes.map((hash) => known.get(hash));
  const missing = chunks.filter((_, index) => found[index]?.length !== embedder.dimensions);
  const texts = missing.map((chunk) => embeddedText(document.title, chunk));
  const made = await embedder.embed(texts, { kind: 'passage', signal });
  const fresh = new Map(missing.map((chunk, index) => [chunk.ordinal, made[index] as Float32Array]));
  return chunks.map((chunk, index) => fresh.get(chunk.ordinal) ?? (found[index] as Float32Array));
}

function* entityMentions({ extraction, chunks, schema }: ContributionParts): Generator<void, Contribution['entities'], void> {
  const mentions = new Map<string, Contribution['entities'][number]>();
  for (const entity of extraction.entities) {
    const name = entity.name.trim().slice(0, LONGEST_NAME);
    const key = entityKey(name);
    if (!key || !schema.entityTypes.includes(entity.type)) continue;
    yield;
    for (const ordinal of entity.chunks) {
      if (!chunks[ordinal]) continue;
      const id = JSON.stringify([ordinal, key]);
      if (mentions.has(id)) continue;
      const fields = givenFields(schema.entityFields, entity.fields);
      mentions.set(id, { ordinal, key, name, type: entity.type, description: entity.description.slice(0, LONGEST_TEXT), fields });
    }
  }
  return [...mentions.values()];
}

function aliasMentions(extraction: Extraction, present: ReadonlySet<string>): Contribution['aliases'] {
  const aliases = new Map<string, Contribution['aliases'][number]>();
  for (const entity of extraction.entities) {
    const key = entityKey(entity.name);
    if (!present.has(key)) continue;
    for (const alias of entity.aliases) {
      const aliasKey = entityKey(alias);
      if (aliasKey && aliasKey !== key)
        aliases.set(JSON.stringify([key, aliasKey]), { key, alias: alias.trim().slice(0, LONGEST_NAME), aliasKey });
    }
  }
  return [...aliases.values()];
}

function relationMentions({ extraction, chunks, schema }: ContributionParts, present: ReadonlySet<string>): Contribution['relations'] {
  const relations = new Map<string, Contribution['relations'][number]>();
  const onLine = chunksByLine(chunks);
  for (const relation of extraction.relations) {
    const [sourceKey, targetKey] = [entityKey(relation.source), entityKey(relation.target)];
    if (!schema.relationTypes.includes(relation.type) || sourceKey === targetKey) continue;
    if (!present.has(sourceKey) || !present.has(targetKey)) continue;
    const { line } = relation.evidence;
    const chunk = onLine.get(line)?.[0] ?? chunks[0];
    const mention = {
      ordinal: (chunk as Chunk).ordinal,
      sourceKey,
      type: relation.type,
      targetKey,
      description: relation.description.slice(0, LONGEST_TEXT),
      fields: givenFields(schema.relationFields, relation.fields),
      confidence: Math.min(1, Math.max(0, relation.confidence)),
      inferred: relation.inferred,
      line,
      evidence: relation.evidence.text.slice(0, LONGEST_TEXT),
    };
    const id = JSON.stringify([sourceKey, mention.type, targetKey, line]);
    if (!relations.has(id)) relations.set(id, mention);
  }
  return [...relations.values()];
}

function uniqueNames<Name extends { name: string }>(names: readonly Name[]): Name[] {
  return [...new Map(names.toReversed().map((found) => [found.name, found])).values()].reverse();
}
