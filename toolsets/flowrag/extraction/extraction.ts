import type { Chunk, ParsedDocument } from '../document/document.ts';

/** What an extractor found in one document. Types are those of the configured schema, or the whole is refused by the store. */
export interface Extraction {
  entities: ExtractedEntity[];
  relations: ExtractedRelation[];
  /** What it cost, where a model was asked. */
  tokens?: { input: number; output: number };
}

export interface ExtractedEntity {
  name: string;
  type: string;
  description: string;
  fields: Record<string, unknown>;
  /** Other names that the document itself gives to it. */
  aliases: string[];
  /** Ordinals of the chunks that mention it; never empty. */
  chunks: number[];
}

export interface ExtractedRelation {
  source: string;
  type: string;
  target: string;
  description: string;
  fields: Record<string, unknown>;
  /** 0 to 1. */
  confidence: number;
  /** The line of the file that states it. */
  evidence: { line: number; text: string };
  /** Guessed from nearness rather than stated: ranks results, stays out of trace and path unless asked for. */
  inferred: boolean;
}

/** Finds entities and relations in a document. The same input gives the same output as far as the provider allows. */
export interface Extractor {
  provider: string;
  model: string;
  /** Changes whenever the same document could be extracted differently: prompt or rule version. */
  version: string;
  extract(document: ParsedDocument, chunks: readonly Chunk[], known: readonly string[], signal: AbortSignal): Promise<Extraction>;
}
