import type { Embedder } from '@millrace/models';
import { chunkNames } from '../names/names.ts';
import { stemOf } from '../retrieval/question.ts';
import { entityKey } from '../schema.ts';
import type { Collection } from '../store/collection.ts';
import { openSqliteCollection } from '../store/open.ts';
import { CollectionWriter } from '../store/writer.ts';

export interface TestDocument {
  path: string;
  title: string;
  /** One chunk each. */
  texts: string[];
  entities?: { name: string; type: string; ordinal?: number }[];
  relations?: { source: string; type: string; target: string; inferred?: boolean }[];
}

const DIMENSIONS = 64;

/** Vectors of word stems: alike where words are shared, without a model. Retrieval asks for nothing but vectors. */
export const wordEmbedder = { embed: async (texts: readonly string[]) => texts.map(vectorOf) } as unknown as Embedder;

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,}/gu)) {
    let hash = 7;
    for (const character of stemOf(word)) hash = (hash * 31 + (character.codePointAt(0) as number)) % 1_000_003;
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] as number) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** A collection in memory with these documents, as indexing would have made it. */
export async function collectionOf(documents: readonly TestDocument[], embedder: Embedder = wordEmbedder): Promise<Collection> {
  const collection = await openSqliteCollection(':memory:', new Date(0));
  const writer = new CollectionWriter(collection, () => new Date(0));
  for (const { path, title, texts, entities = [], relations = [] } of documents) {
    const vectors = await embedder.embed(
      texts.map((text) => `${title}\n${text}`),
      { kind: 'passage' },
    );
    await writer.replace({
      path,
      hash: path,
      title,
      format: 'markdown',
      fields: {},
      bytes: 1,
      modifiedMs: 1,
      stamp: 'test',
      chunks: texts.map((text, ordinal) => {
        const chunk = { ordinal, text, startLine: ordinal * 10 + 1, endLine: ordinal * 10 + 9, headings: [title], tokens: 10 };
        return {
          ...chunk,
          embedHash: `${path}#${ordinal}`,
          vector: vectors[ordinal] as Float32Array,
          names: chunkNames({ title, path }, chunk),
        };
      }),
      entities: entities.map(({ name, type, ordinal = 0 }) => ({ ordinal, key: entityKey(name), name, type, description: '', fields: {} })),
      aliases: [],
      relations: relations.map(({ source, type, target, inferred = false }) => ({
        ordinal: 0,
        sourceKey: entityKey(source),
        type,
        targetKey: entityKey(target),
        description: '',
        fields: {},
        confidence: 0.9,
        inferred,
        line: 1,
        evidence: 'said so',
      })),
    });
  }
  return collection;
}
