import type { Section } from '../document/document.ts';
import type { Findings } from './findings.ts';
import { type Mention, mentionsIn } from './mentions.ts';
import { type RelationKind, suited } from './ontology.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { topicOf } from './structure.ts';

const STATED = 0.8;
/** The subject is a pronoun, or was named with an earlier verb of the sentence. */
const CARRIED_ON = 0.65;
const LONGEST_SENTENCE = 600;

/** Sentences that do not state how things are. */
const NOT_STATED = /\?\s*$|^(?:if|unless|suppose|imagine|todo)\b/i;
const UNCERTAIN =
  /\b(?:not|never|no longer|cannot|can't|doesn't|don't|isn't|won't|would|could|might|may|should|will|shall|planned|plans|plan|previously|formerly|originally|used to|instead|rather|without|replace[sd]?|migrat\w+|if)\b/i;
/** Words that may stand between a subject and its verb. */
const FILLER =
  /^(?:\s|,|\([^)]*\)|\b(?:which|that|who|also|then|now|both|currently|internally|directly|asynchronously|synchronously|periodically|always|only|mainly|primarily|in turn|team|squad|service|services|module|component|cluster|database|and)\b)*$/i;
const PRONOUN = /^(?:it|this|the service|this service|the component|this component|the team|the system|this system|the application)(?=\s)/i;
/** Words between a verb and its object: few, in lower case, none that opens another clause. */
const CLAUSE = /\b(?:and|or|but|that|which|when|while|if|by|because|so|than|instead|rather|not|without|like|such)\b/i;

interface Said extends VerbPattern {
  at: number;
  end: number;
}

/** Relations that sentences state outright, between things that are known by name, place or form. */
export function* readProse(sections: readonly Section[], findings: Findings): Generator<void, void, void> {
  const verbs = [...verbsOfTypes(findings.ontology.schema.relationTypes), ...VERBS];
  for (const section of sections) {
    const topic = topicOf(section, findings);
    for (const block of section.blocks) {
      if (block.kind === 'code' || block.kind === 'data' || block.kind === 'table') continue;
      for (const sentence of sentencesOf(block)) {
        readSentence(sentence, topic, verbs, findings);
        yield;
      }
    }
  }
}

type Topic = ReturnType<typeof topicOf>;

/** Who the last verb of a sentence was about, and where its objects end. */
interface Clause {
  subject: string;
  end: number;
}

function readSentence({ text, line }: Sentence, topic: Topic, verbs: readonly VerbPattern[], findings: Findings): void {
  if (text.length > LONGEST_SENTENCE) return;
  const mentions = mentionsIn(text, findings);
  for (const { name, kind, type, aliases = [] } of mentions) findings.add({ name, kind, type, line, aliases });
  if (mentions.length === 0 || NOT_STATED.test(text)) return;
  let before: Clause | undefined;
  for (const verb of verbsIn(text, verbs, mentions)) {
    const objects = objectsAfter(text, verb, mentions);
    const last = objects.at(-1);
    const subject = last && subjectOf(text, verb, mentions, before, topic);
    if (!subject) continue;
    for (const object of objects) relate(subject.name, object, verb, { line, text, confidence: subject.confidence }, findings);
    before = { subject: subject.name, end: last.end };
  }
}

/** The subject of a verb: named before it, or carried on from earlier. Undefined where the sentence does not state anything for certain. */
function subjectOf(
  text: string,
  verb: Said,
  mentions: readonly Mention[],
  before: Clause | undefined,
  topic: Topic,
): { name: string; confidence: number } | undefined {
  const direct = mentions.findLast((mention) => mention.end <= verb.at);
  const start = direct?.end ?? 0;
  if (UNCERTAIN.test(text.slice(Math.max(start, before?.end ?? 0), verb.end))) return undefined;
  const between = text.slice(start, verb.at);
  const isStated = direct && FILLER.test(between) && !/\band\s*$/i.test(between) && direct.start >= (before?.end ?? 0);
  if (isStated) return { name: direct.name, confidence: STATED };
  const name = carriedOn(text, verb, before, topic);
  return name === undefined ? undefined : { name, confidence: CARRIED_ON };
}

/** The verbs of a sentence in their order; of those that overlap the earliest in the list wins. */
function verbsIn(text: string, verbs: readonly VerbPattern[], mentions: readonly Mention[]): Said[] {
  const found: Said[] = [];
  for (const verb of verbs) {
    for (const match of text.matchAll(verb.pattern)) {
      const said = { ...verb, at: match.index, end: match.index + match[0].length };
      const inName = mentions.some((mention) => said.at < mention.end && mention.start < said.end);
      if (!inName && !found.some((other) => said.at < other.end && other.at < said.end)) found.push(said);
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The object of a verb, and those that are listed with it. */
function objectsAfter(text: string, verb: Said, mentions: readonly Mention[]): Mention[] {
  const objects: Mention[] = [];
  let end = verb.end;
  for (const mention of mentions.filter((candidate) => candidate.start >= verb.end)) {
    const between = text.slice(end, mention.start);
    const joined =
      objects.length === 0 ? isGap(between, verb.gap) : /^\s*(?:,|and|or|&|,\s*and|\/|as well as)\s*(?:the|a|an|its)?\s*$/i.test(between);
    if (!joined) break;
    objects.push(mention);
    end = mention.end;
  }
  return objects;
}

function isGap(between: string, most: number): boolean {
  const words = between.trim().split(/\s+/).filter(Boolean);
  return words.length <= most + 1 && words.every((word) => /^[a-z][a-z'’-]*$/.test(word)) && !CLAUSE.test(between);
}

/** "It …" means what the section is about; a further verb of a sentence has the subject of the one before. */
function carriedOn(text: string, verb: Said, before: Clause | undefined, topic: Topic): string | undefined {
  if (before) {
    const joins = /^[^.;]*(?:,|\band\b|\bthen\b|\bwhile\b)\s*(?:also\s+|then\s+)?$/i.test(text.slice(before.end, verb.at));
    return joins ? before.subject : undefined;
  }
  const opening = text.slice(0, verb.at);
  if (!topic) return undefined;
  // "Publishes events to Kafka." and "Events: Kafka — publishes …" are about the topic of the section.
  if (/(?:^|[—–:])\s*$/.test(opening)) return topic.name;
  const pronoun = PRONOUN.exec(opening);
  return pronoun && FILLER.test(opening.slice(pronoun[0].length)) ? topic.name : undefined;
}

function relate(
  subject: string,
  object: Mention,
  { kind: stated, type, passive }: Said,
  said: { line: number; text: string; confidence: number },
  findings: Findings,
): void {
  const [source, target] = passive ? [object.name, subject] : [subject, object.name];
  const [from, to] = [findings.get(source), findings.get(target)];
  if (!from || !to) return;
  const kind = stated && suited(stated, from.kind, to.kind);
  if (stated && !kind) return;
  const { line, text: evidence, confidence } = said;
  findings.relate({ source, target, ...(kind && { kind }), ...(type && { type }), line, evidence, confidence });
}

/** How a sentence says a relation: words that stand between subject and object. */
interface VerbPattern {
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
function verbsOfTypes(types: readonly string[]): VerbPattern[] {
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
