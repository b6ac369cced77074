import type { Generator } from '@millrace/models';
import type { Chunk, ParsedDocument } from '../document/document.ts';
import { entityKey, type GraphSchema, givenFields } from '../schema.ts';
import type { ExtractedEntity, ExtractedRelation, Extraction, Extractor } from './extraction.ts';
import { cleanName } from './findings.ts';
import { asType } from './ontology.ts';
import { type Answer, answerSchema, extractionPrompt, PROMPT_VERSION, SYSTEM_PROMPT } from './prompt.ts';

const MOST_CHARACTERS = 12_000;
const LONGEST_NAME = 100;
const DEFAULT_CONFIDENCE = 0.7;

/** Entities and relations by a language model. Its answer is checked against schema and document before it is believed. */
export function modelExtractor(generator: Generator, schema: GraphSchema): Extractor {
  return {
    provider: generator.provider,
    model: generator.model,
    version: `model-${PROMPT_VERSION}`,
    async extract(document, chunks, known, signal) {
      const reading = new Reading(document, chunks, schema);
      const tokens = { input: 0, output: 0 };
      for (const part of partsOf(chunks)) {
        signal.throwIfAborted();
        const { value, tokens: spent } = await generator.generate({
          system: SYSTEM_PROMPT,
          prompt: extractionPrompt(document.title, part, known, schema),
          schema: answerSchema(schema),
          signal,
        });
        reading.take(value, part);
        tokens.input += spent.input;
        tokens.output += spent.output;
      }
      return { ...reading.extraction(), tokens };
    },
  };
}

/** Chunks that are asked about together. */
function partsOf(chunks: readonly Chunk[]): Chunk[][] {
  const parts: Chunk[][] = [];
  let characters = 0;
  for (const chunk of chunks) {
    characters += chunk.text.length;
    if (parts.length === 0 || characters > MOST_CHARACTERS) {
      parts.push([]);
      characters = chunk.text.length;
    }
    parts.at(-1)?.push(chunk);
  }
  return parts;
}

/** The part of the answers that holds up: known types, names that the document has, relations between them. */
class Reading {
  readonly #document: ParsedDocument;
  readonly #chunks: readonly Chunk[];
  readonly #schema: GraphSchema;
  readonly #text: string;
  readonly #entities = new Map<string, ExtractedEntity>();
  readonly #relations = new Map<string, ExtractedRelation>();

  constructor(document: ParsedDocument, chunks: readonly Chunk[], schema: GraphSchema) {
    this.#document = document;
    this.#chunks = chunks;
    this.#schema = schema;
    this.#text = entityKey(`${document.title} ${document.text}`);
  }

  take(answer: Answer, part: readonly Chunk[]): void {
    for (const entity of answer.entities) this.#takeEntity(entity, part);
    for (const relation of answer.relations) this.#takeRelation(relation, part);
  }

  extraction(): Extraction {
    return { entities: [...this.#entities.values()], relations: [...this.#relations.values()] };
  }

  #takeEntity(given: Answer['entities'][number], part: readonly Chunk[]): void {
    const name = cleanName(given.name).slice(0, LONGEST_NAME);
    const key = entityKey(name);
    const type = ontologyType(this.#schema, name) ?? configured(this.#schema.entityTypes, given.type);
    if (!key || type === undefined || !this.#text.includes(key)) return;
    const chunk = passage(given.passage, part);
    const present = this.#entities.get(key);
    if (present) {
      if (!present.chunks.includes(chunk)) present.chunks.push(chunk);
      return;
    }
    const aliases = given.aliases
      .map(cleanName)
      .filter((alias) => this.#text.includes(entityKey(alias)) && entityKey(alias) !== key && alias.length > 1);
    const fields = givenFields(this.#schema.entityFields, given);
    this.#entities.set(key, { name, type, description: given.description, fields, aliases, chunks: [chunk] });
  }

  #takeRelation(given: Answer['relations'][number], part: readonly Chunk[]): void {
    const [source, target] = [given.source, given.target].map((name) => this.#entities.get(entityKey(cleanName(name))));
    const type = configured(this.#schema.relationTypes, given.type);
    if (!source || !target || source === target || type === undefined) return;
    const id = JSON.stringify([entityKey(source.name), type, entityKey(target.name)]);
    if (this.#relations.has(id)) return;
    const confidence = Number.isFinite(given.confidence) ? Math.min(1, Math.max(0, given.confidence)) : DEFAULT_CONFIDENCE;
    const fields = givenFields(this.#schema.relationFields, given);
    const evidence = this.#evidence(given.evidence, passage(given.passage, part));
    const ends = { source: source.name, type, target: target.name };
    this.#relations.set(id, { ...ends, description: given.description, fields, confidence, evidence, inferred: false });
  }

  /** The line that the quoted words begin on; the beginning of the passage where they are not to be found. */
  #evidence(quoted: string, ordinal: number): ExtractedRelation['evidence'] {
    const lines = this.#document.text.split('\n');
    const { startLine = 1, endLine = 0 } = this.#chunks.find((chunk) => chunk.ordinal === ordinal) ?? {};
    const start = quoted.trim().slice(0, 40).toLowerCase();
    const inChunk = lines.slice(startLine - 1, endLine);
    const at = start ? inChunk.findIndex((line) => line.toLowerCase().includes(start)) : -1;
    const line = startLine + Math.max(0, at);
    return { line, text: (at >= 0 ? quoted : (lines[line - 1] ?? '')).replace(/\s+/g, ' ').trim().slice(0, 300) };
  }
}

function configured(types: readonly string[], given: string): string | undefined {
  return types.find((type) => type.toUpperCase() === asType(given));
}

function ontologyType(schema: GraphSchema, name: string): string | undefined {
  const found = Object.entries(schema.ontology).find(([known]) => entityKey(known) === entityKey(name));
  return found && configured(schema.entityTypes, found[1]);
}

/** The passage that the model named, or the first of those that it was shown. */
function passage(given: number, part: readonly Chunk[]): number {
  return (part.find(({ ordinal }) => ordinal === given) ?? part[0])?.ordinal ?? 0;
}
