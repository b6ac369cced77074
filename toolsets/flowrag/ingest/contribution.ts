import { hash } from 'node:crypto';
import type { Embedder } from '@millrace/models';
import { embeddedText } from '../document/chunk.ts';
import { type Chunk, chunksByLine, type ParsedDocument } from '../document/document.ts';
import type { Extraction } from '../extraction/extraction.ts';
import { entityKey, fieldsOf, type GraphSchema, givenFields } from '../schema.ts';
import type { ContributedChunk, Contribution } from '../store/contribution.ts';
import type { FoundFile } from './scan.ts';

export interface ContributionParts {
  file: FoundFile;
  document: ParsedDocument;
  chunks: ContributedChunk[];
  extraction: Extraction;
  schema: GraphSchema;
  stamp: string;
}

const LONGEST_NAME = 200;
const LONGEST_TEXT = 1000;

/** What a document adds to the collection: only what the schema knows, each thing once per chunk, in a fixed order. */
export function* contributionOf(parts: ContributionParts): Generator<void, Contribution, void> {
  const { file, document, chunks, extraction, schema, stamp } = parts;
  const { path, hash, title, format, frontMatter } = document;
  const entities = yield* entityMentions(parts);
  const present = new Set(entities.map((mention) => mention.key));
  return {
    ...{ path, hash, title, format, fields: fieldsOf(schema.documentFields, frontMatter) },
    ...{ bytes: file.bytes, modifiedMs: file.changedMs, stamp, chunks, entities },
    aliases: aliasMentions(extraction, present),
    relations: relationMentions(parts, present),
  };
}

export function embedHash(title: string, chunk: Chunk): string {
  return hash('sha256', embeddedText(title, chunk)).slice(0, 32);
}

type Draft = Omit<ContributedChunk, 'vector'>;

/** The chunks with their vectors: those that the collection has already, the others from the embedder. */
export async function withVectors(
  drafts: readonly Draft[],
  title: string,
  known: ReadonlyMap<string, Float32Array>,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<ContributedChunk[]> {
  const missing = drafts.filter((draft) => known.get(draft.embedHash)?.length !== embedder.dimensions);
  const texts = missing.map((draft) => embeddedText(title, draft));
  const made = await embedder.embed(texts, { kind: 'passage', signal });
  const fresh = new Map(missing.map((draft, index) => [draft.ordinal, made[index]]));
  return drafts.map((draft) => ({ ...draft, vector: (fresh.get(draft.ordinal) ?? known.get(draft.embedHash)) as Float32Array }));
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
    const { line, text } = relation.evidence;
    const mention = {
      ordinal: onLine.get(line)?.[0]?.ordinal ?? 0,
      sourceKey,
      type: relation.type,
      targetKey,
      description: relation.description.slice(0, LONGEST_TEXT),
      fields: givenFields(schema.relationFields, relation.fields),
      confidence: Math.min(1, Math.max(0, relation.confidence)),
      inferred: relation.inferred,
      line,
      evidence: text.slice(0, LONGEST_TEXT),
    };
    const id = JSON.stringify([sourceKey, mention.type, targetKey, line]);
    if (!relations.has(id)) relations.set(id, mention);
  }
  return [...relations.values()];
}
