import { chunkDocument } from '../document/chunk.ts';
import type { Chunk, ParsedDocument } from '../document/document.ts';
import { type FileKind, kindOf } from '../document/file-kinds.ts';
import { parseDocument } from '../document/parse.ts';
import type { Extraction, Extractor } from '../extraction/extraction.ts';
import { rulesExtractor } from '../extraction/rules.ts';
import { type GraphSchema, graphSchema } from '../schema.ts';

/** A document as indexing would read it, for tests of extraction. */
export async function readDocument(path: string, text: string): Promise<{ document: ParsedDocument; chunks: Chunk[] }> {
  const document = await parseDocument(path, Buffer.from(text), kindOf(path) as FileKind);
  const chunks = await chunkDocument(document, { maxTokens: 256, countTokens: async (piece) => Math.ceil(piece.length / 4) });
  return { document, chunks };
}

export async function extractFrom(
  path: string,
  text: string,
  schema: Partial<GraphSchema> = {},
  extractor?: Extractor,
): Promise<Extraction> {
  const { document, chunks } = await readDocument(path, text);
  return (extractor ?? rulesExtractor(graphSchema.parse(schema))).extract(document, chunks, [], new AbortController().signal);
}

/** Entities as "TYPE Name", sorted. */
export function entitiesIn({ entities }: Extraction): string[] {
  return entities.map(({ type, name }) => `${type} ${name}`).sort();
}

/** Relations as "A -USES-> B", sorted. */
export function relationsIn({ relations }: Extraction): string[] {
  return relations.map(({ source, type, target }) => `${source} -${type}-> ${target}`).sort();
}
