import { cleanName, type Findings } from './findings.ts';
import { kindOfName, mentionsIn } from './mentions.ts';
import { type Kind, type RelationKind, suited } from './ontology.ts';

/** What a key such as "Owner" or "Depends on" says about the thing above it. */
interface Meaning {
  kind: RelationKind;
  /** The value is the subject: "Owner: Team A" is Team A owns this. */
  reversed?: boolean;
  /** The kind of the values when nothing else shows it. */
  value?: Kind;
  /** Only things that are known may be values: a stack lists many words. */
  knownOnly?: boolean;
  /** Only descriptions of systems have such a key, so its heading names one. */
  system?: boolean;
}

const KEYS: readonly (readonly [keys: string, meaning: Meaning])[] = [
  ['owner|owners|owned by|team|owning team|maintainer|maintainers|maintained by|squad', { kind: 'owns', reversed: true, value: 'team' }],
  ['database|databases|db|datastore|data store|persistence|primary database', { kind: 'uses', value: 'database', system: true }],
  ['storage|cache|search|search index|provider|email|sms|push|dashboard|monitoring|events', { kind: 'uses', knownOnly: true }],
  ['queue|broker|message broker|message bus|event bus|messaging', { kind: 'uses', value: 'queue', system: true }],
  ['protocol|protocols|transport|interface|interfaces|api style|authentication|auth', { kind: 'uses', knownOnly: true }],
  [
    'depends on|dependencies|dependency|depends|requires|upstream|upstream services|upstream dependencies',
    { kind: 'depends', value: 'service' },
  ],
  ['uses|calls|integrates with|integrations|talks to|downstream services|clients of', { kind: 'uses', value: 'service' }],
  [
    'publishes|publishes to|produces|produces to|emits|topics published|events published|published events|produced events',
    { kind: 'produces', value: 'topic', system: true },
  ],
  [
    'consumes|consumes from|subscribes|subscribes to|listens to|reads from|topics consumed|events consumed|consumed events',
    { kind: 'consumes', value: 'topic', system: true },
  ],
  ['writes to', { kind: 'produces', knownOnly: true }],
  ['used by|called by|clients|dependents', { kind: 'uses', reversed: true, value: 'service' }],
  ['consumed by|consumers|subscribers', { kind: 'consumes', reversed: true, value: 'service' }],
  ['produced by|published by|producer|producers|publisher', { kind: 'produces', reversed: true, value: 'service' }],
  ['owns|responsible for|maintains', { kind: 'owns', value: 'service' }],
  ['technology|technologies|tech stack|stack|built with|runtime|infrastructure', { kind: 'uses', knownOnly: true }],
];
const MEANINGS = new Map(KEYS.flatMap(([keys, meaning]) => keys.split('|').map((key) => [key, meaning] as const)));
const DESCRIPTIONS = new Set(['description', 'purpose', 'summary', 'role', 'responsibility', 'responsibilities', 'about']);
const ALIASES = new Set(['alias', 'aliases', 'also known as', 'aka', 'abbreviation', 'short name']);
const TYPES = new Set(['type', 'kind', 'entity type', 'category']);
const NOTHING = /^(?:none|n\/?a|-+|–|tbd|tba|unknown|no|nothing|not applicable|\?)?$/i;

export interface Attribute {
  key: string;
  value: string;
  line: number;
  /** The line as it is written. */
  evidence: string;
}

export interface AttributeSet {
  name: string;
  line: number;
  attributes: readonly Attribute[];
  description?: string;
  /** Known from where the set is: its kind or type. */
  kind?: Kind | undefined;
  type?: string | undefined;
}

export function keyOf(text: string): string {
  return cleanName(text)
    .toLowerCase()
    .replace(/[_-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/\(s\)$/, 's');
}

/** Whether the key means something to the rules. */
export function isMeaningful(key: string): boolean {
  return MEANINGS.has(key) || TYPES.has(key);
}

/** A thing with its attributes: the thing is added only where its name, its place or its attributes show what it is. */
export function readAttributes(set: AttributeSet, confidence: number, findings: Findings): boolean {
  const { ontology } = findings;
  const byKey = (keys: ReadonlySet<string>) => set.attributes.find(({ key }) => keys.has(key))?.value;
  const declared = byKey(TYPES);
  const type = (declared && ontology.typeNamed(cleanName(declared))) || set.type;
  const kind = set.kind ?? kindOfName(set.name);
  const described = set.attributes.some(({ key }) => MEANINGS.get(key)?.system) ? 'service' : undefined;
  if (!type && !kind && !described && !findings.get(set.name) && !ontology.known(cleanName(set.name).toLowerCase())) return false;
  const added = findings.add({
    name: set.name,
    type,
    kind: kind ?? described,
    line: set.line,
    description: byKey(DESCRIPTIONS) ?? set.description ?? '',
    aliases: set.attributes.filter(({ key }) => ALIASES.has(key)).flatMap(({ value }) => listed(value).map(cleanName)),
    fields: fieldsIn(set.attributes, findings),
  });
  if (added) for (const attribute of set.attributes) readAttribute(set.name, attribute, confidence, findings);
  return added;
}

function readAttribute(subject: string, attribute: Attribute, confidence: number, findings: Findings): void {
  const type = findings.ontology.schema.relationTypes.find((candidate) => candidate.toLowerCase().replaceAll('_', ' ') === attribute.key);
  const meaning = MEANINGS.get(attribute.key) ?? (type && { kind: 'uses' as const, value: 'service' as const });
  if (!meaning) return;
  for (const name of valuesOf(attribute, meaning, findings)) {
    const [source, target] = meaning.reversed ? [name, subject] : [subject, name];
    const kind = suited(meaning.kind, findings.get(source)?.kind, findings.get(target)?.kind);
    const named = type && !meaning.reversed ? { type } : kind && { kind };
    if (named) findings.relate({ source, target, ...named, line: attribute.line, evidence: attribute.evidence, confidence });
  }
}

/** The things that a value lists; each is added. What is in brackets counts if it is known: "order.created (Kafka)". */
function valuesOf({ value, line }: Attribute, meaning: Meaning, findings: Findings): string[] {
  return listed(value).flatMap((item) => {
    const mentions = mentionsIn(item, findings);
    for (const { name, kind, type } of mentions) findings.add({ name, kind, type, line });
    const known = mentions.map(({ name }) => name);
    const name = cleanName(item.replace(/\([^)]*\)/g, ''));
    if (meaning.knownOnly || !meaning.value || !isName(name, meaning.value) || mentionsIn(name, findings).length > 0) return known;
    return findings.add({ name, kind: meaning.value, line }) ? [name, ...known] : known;
  });
}

export function listed(value: string): string[] {
  return value
    .replace(/<br\s*\/?>/gi, ',')
    .split(/\s*(?:,|;|\band\b|\s&\s|\s\+\s|\s\/\s)\s*/)
    .map((item) => item.trim())
    .filter((item) => !NOTHING.test(cleanName(item)));
}

/** Few words that begin with capitals, or an identifier: not a sentence, and no number. */
function isName(name: string, kind: Kind): boolean {
  const words = name.split(' ');
  if (words.length > 4 || !/^\p{L}/u.test(name) || name.includes('://')) return false;
  if (kind === 'topic') return words.length === 1 && /[a-z0-9][._-][a-z0-9]|[a-z][A-Z]/.test(name);
  return words.length === 1 && /[_-]/.test(name) ? true : words.every((word) => /^\p{Lu}/u.test(word));
}

/** Custom fields of the schema that the attributes give. */
function fieldsIn(attributes: readonly Attribute[], findings: Findings): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(findings.ontology.schema.entityFields)) {
    const given = attributes.find(({ key }) => key === keyOf(name));
    if (given) fields[name] = plainValue(given.value);
  }
  return fields;
}

function plainValue(value: string): string | number | boolean {
  const text = cleanName(value);
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
}
