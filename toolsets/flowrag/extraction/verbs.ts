import type { RelationKind } from './ontology.ts';

/** How a sentence says a relation: words that stand between subject and object. */
export interface VerbPattern {
  /** Matches at the verb; up to a few further words may follow before the object. */
  pattern: RegExp;
  kind?: RelationKind;
  /** A relation type of the configuration, for patterns made from its name. */
  type?: string;
  /** The object comes first: "B is used by A". */
  passive: boolean;
  /** How many words may stand between the verb and its object. */
  gap: number;
}

const WORDS = "(?:[\\p{L}\\p{N}'’/-]+[ ]){0,5}";

const active = (kind: RelationKind, words: string, gap = 3): VerbPattern => ({
  pattern: new RegExp(`(?<![\\p{L}-])(?:${words})(?![\\p{L}-])`, 'giu'),
  kind,
  passive: false,
  gap,
});
const passive = (kind: RelationKind, words: string): VerbPattern => ({
  pattern: new RegExp(
    `(?<![\\p{L}-])(?:is|are|gets?|being)[ ](?:\\p{L}+ly[ ]|also[ ]|now[ ]|currently[ ])?(?:${words})[ ]by(?![\\p{L}-])`,
    'giu',
  ),
  kind,
  passive: true,
  gap: 2,
});

export const VERBS: readonly VerbPattern[] = [
  active('owns', 'owns|own|maintains|maintain|operates|is responsible for|are responsible for|looks after|manages', 2),
  active(
    'produces',
    `(?:publishes|publish|emits|emit|produces|produce|pushes|push|sends|send|streams|stream|forwards|forward|writes|write)[ ]${WORDS}(?:to|onto|into|on|via|through)`,
    2,
  ),
  active('produces', 'publishes|emits|produces', 1),
  active('consumes', `(?:reads|read|receives|receive|ingests|ingest|pulls|pull|consumes|consume|processes|fetches)[ ]${WORDS}from`, 2),
  active('consumes', 'consumes|consume|subscribes to|subscribe to|listens to|listens on|listens for|polls|is triggered by|is fed by', 3),
  active('uses', `(?:stores|store|persists|persist|saves|save|caches|cache|keeps)[ ]${WORDS}(?:in|into|to|on)`, 2),
  active(
    'uses',
    'uses|use|utilizes|utilises|leverages|calls|call|invokes|queries|talks to|connects to|communicates with|integrates with|is backed by|is powered by|is built on|is built with',
    3,
  ),
  active('uses', 'authenticates (?:\\p{L}+ )?(?:via|with|against|through|using)|exposes|speaks', 2),
  active('depends', 'depends on|depend on|relies on|rely on|requires|require|is dependent on|runs on(?: top of)?|is deployed (?:on|to)', 3),
  passive('uses', 'used|called|invoked|queried'),
  passive('consumes', 'consumed|read|ingested'),
  passive('produces', 'produced|published|emitted'),
  passive('owns', 'owned|maintained|managed|operated|developed|run'),
];

const PREPOSITIONS = new Set('to from in into on onto by with via through at of for'.split(' '));
const PUBLISHED = new Set(['USES', 'PRODUCES', 'CONSUMES', 'OWNS', 'DEPENDS_ON']);

/** Patterns for own relation types, made from their names: STORES_IN is "stores (something) in". */
export function verbsOfTypes(types: readonly string[]): VerbPattern[] {
  return types.flatMap((type) => {
    const words = type
      .toLowerCase()
      .split('_')
      .filter((word) => /^[a-z]+$/.test(word));
    if (PUBLISHED.has(type.toUpperCase()) || words.length === 0 || words.length < type.split('_').length) return [];
    const last = words.at(-1) ?? '';
    const spread = words.length > 1 && PREPOSITIONS.has(last);
    const verb = spread ? words.slice(0, -1).join(' ') : words.join(' ');
    const written = spread ? `${verb}[ ]${WORDS}${last}` : verb;
    const said = last === 'by' ? `(?:is|are)[ ]${words.join('[ ]')}` : written;
    return [{ pattern: new RegExp(`(?<![\\p{L}-])(?:${said})(?![\\p{L}-])`, 'giu'), type, passive: false, gap: 2 }];
  });
}
