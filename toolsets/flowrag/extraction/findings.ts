import { type Chunk, chunksByLine, type ParsedDocument } from '../document/document.ts';
import { each } from '../document/slices.ts';
import { entityKey, givenFields } from '../schema.ts';
import type { ExtractedEntity, ExtractedRelation, Extraction } from './extraction.ts';
import type { Kind, Ontology, RelationKind } from './ontology.ts';

const LONGEST_DESCRIPTION = 300;
const LONGEST_EVIDENCE = 300;
/** How much of a text may be a name with its markup. */
const LONGEST_WRITTEN = 1000;

interface Found {
  name: string;
  type: string;
  kind: Kind | undefined;
  description: string;
  aliases: Set<string>;
  fields: Record<string, unknown>;
  lines: Set<number>;
}

export type FoundThing = Readonly<Pick<Found, 'name' | 'type' | 'kind'>> & { aliases: ReadonlySet<string> };

export interface Thing {
  name: string;
  /** A kind, or a type of the configuration that matches no kind. */
  kind?: Kind | undefined;
  type?: string | undefined;
  line: number;
  description?: string;
  aliases?: readonly string[];
  fields?: Record<string, unknown>;
}

export interface Statement {
  source: string;
  target: string;
  kind?: RelationKind;
  /** A type of the configuration, where it was named as such. */
  type?: string;
  line: number;
  evidence: string;
  /** Certain when not given. */
  confidence?: number;
}

/** What the rules have found in one document so far: each thing once, whoever found it. */
export class Findings {
  readonly ontology: Ontology;
  readonly #found = new Map<string, Found>();
  readonly #relations = new Map<string, ExtractedRelation>();

  constructor(ontology: Ontology) {
    this.ontology = ontology;
  }

  get(name: string): FoundThing | undefined {
    return this.withKey(entityKey(name));
  }

  withKey(key: string): FoundThing | undefined {
    return this.#found.get(this.ontology.canonicalKey(key));
  }

  /** Adds a thing, or what is new about it; false where the schema has no type for it. */
  add(thing: Thing): boolean {
    const name = this.ontology.canonical(cleanName(thing.name));
    const key = entityKey(name);
    if (!key || !/\p{L}/u.test(name)) return false;
    const present = this.#found.get(key) ?? this.#create(name, key, thing);
    if (!present) return false;
    present.lines.add(thing.line);
    if (!present.description && thing.description) present.description = shorten(thing.description, LONGEST_DESCRIPTION);
    for (const alias of thing.aliases ?? []) {
      const aliasKey = entityKey(alias);
      if (aliasKey === key) continue;
      present.aliases.add(alias);
      if (!this.#found.has(aliasKey)) this.#found.set(aliasKey, present);
    }
    Object.assign(present.fields, thing.fields);
    return true;
  }

  #create(name: string, key: string, { kind, type }: Thing): Found | undefined {
    const known = this.ontology.known(key);
    const chosen = type ?? known?.type ?? (kind && this.ontology.typeOf(kind));
    if (chosen === undefined) return undefined;
    const guessed = known?.kind ?? kind;
    const found: Found = {
      name: known?.name ?? name,
      type: chosen,
      kind: guessed && this.ontology.typeOf(guessed) === chosen ? guessed : this.ontology.kindOf(chosen),
      description: '',
      aliases: new Set(),
      fields: {},
      lines: new Set(),
    };
    const ownKey = entityKey(found.name);
    const present = this.#found.get(ownKey);
    this.#found.set(key, present ?? found);
    this.#found.set(ownKey, present ?? found);
    return present ?? found;
  }

  /** States a relation between two things that were added; the more certain of equal statements stays. */
  relate({ source, target, kind, type, line, evidence, confidence = 1 }: Statement): void {
    const [from, to] = [this.get(source), this.get(target)];
    const choice = type === undefined ? kind && this.ontology.relationOf(kind) : { type, reversed: false };
    if (!from || !to || !choice || from === to) return;
    const [subject, object] = choice.reversed ? [to, from] : [from, to];
    const id = JSON.stringify([entityKey(subject.name), choice.type, entityKey(object.name)]);
    const text = shorten(evidence, LONGEST_EVIDENCE);
    if ((this.#relations.get(id)?.confidence ?? 0) >= confidence) return;
    const ends = { source: subject.name, type: choice.type, target: object.name };
    this.#relations.set(id, { ...ends, description: text, fields: {}, confidence, evidence: { line, text }, inferred: false });
  }

  /** Everything, with the chunks that mention each thing. */
  *toExtraction(document: ParsedDocument, chunks: readonly Chunk[]): Generator<void, Extraction, void> {
    if (chunks.length === 0) return { entities: [], relations: [] };
    const places = new Places(chunks);
    const entities: ExtractedEntity[] = yield* each([...new Set(this.#found.values())], (found) => ({
      name: found.name,
      type: found.type,
      description: found.description,
      fields: givenFields(this.ontology.schema.entityFields, found.fields),
      aliases: [...found.aliases].sort(),
      chunks: places.of(found),
    }));
    const relations = [...this.#relations.values()].sort((a, b) => a.evidence.line - b.evidence.line || (a.source < b.source ? -1 : 1));
    return {
      entities,
      relations: relations.map((relation) => ({
        ...relation,
        evidence: { ...relation.evidence, text: relation.evidence.text || document.title },
      })),
    };
  }
}

/** Where in the document things are. */
class Places {
  readonly #chunks: ReadonlyMap<number, readonly Chunk[]>;
  readonly #keys = new Map<Chunk, string>();

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunksByLine(chunks);
  }

  /** Chunks by the lines; where several share a line, those that have the name. */
  of({ lines, name }: Pick<Found, 'lines' | 'name'>): number[] {
    const found = new Set<number>();
    const key = entityKey(name);
    for (const line of lines) {
      const here = this.#chunks.get(line) ?? [];
      const naming = here.length > 1 ? here.filter((chunk) => this.#keyOf(chunk).includes(key)) : here;
      for (const chunk of naming.length > 0 ? naming : here.slice(0, 1)) found.add(chunk.ordinal);
    }
    return found.size > 0 ? [...found].sort((a, b) => a - b) : [0];
  }

  #keyOf(chunk: Chunk): string {
    const key = this.#keys.get(chunk) ?? entityKey(chunk.text);
    this.#keys.set(chunk, key);
    return key;
  }
}

/** A name without article, markup and surrounding punctuation. */
export function cleanName(text: string): string {
  return text
    .slice(0, LONGEST_WRITTEN)
    .replace(/!?\[([^[\]]*)\]\([^)[]*\)/g, '$1')
    .replace(/[`*"“”]|(?<!\w)_|_(?!\w)/g, '')
    .replace(/^\s*(?:(?:the|a|an|our|this|each|every)\s+)+/i, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.,;:()[\]-]+|[\s.,;:()[\]-]+$/g, '')
    .slice(0, 100);
}

function shorten(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).trimEnd()}…`;
}
