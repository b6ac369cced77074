import { entityKey } from '../schema.ts';
import { cleanName, type Findings } from './findings.ts';
import type { Kind } from './ontology.ts';

/** A thing at its place in a text. */
export interface Mention {
  start: number;
  end: number;
  name: string;
  kind: Kind | undefined;
  type: string;
  /** Shorter names that the form gives: "the Checkout service" is also called Checkout. */
  aliases?: string[];
}

const LONGEST_KNOWN = 4;

/** What the last word of a name reveals about the thing. */
const SUFFIXES: readonly (readonly [Kind, string])[] = [
  ['service', 'service services microservice svc api gateway worker scheduler backend frontend proxy processor pipeline dashboard'],
  ['database', 'database db datastore warehouse cache'],
  ['queue', 'queue broker'],
  ['topic', 'topic'],
  ['team', 'team squad'],
];
const KIND_OF_SUFFIX = new Map(SUFFIXES.flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)));

/** Before a suffix these words make a description and not a name: "REST API", "Each Service". */
const NOT_NAMES = new Set(
  'api the a an this that these those each every any all no some other another same own new old first second single main one our your their its rest restful public private internal external web third-party message event task job dead letter downstream upstream target source another whole local remote shared http graphql grpc soap given following corresponding respective relevant development engineering fetch streams stream promise buffer browser plugin javascript typescript python java rust node node.js socket websocket synchronous asynchronous simple example secret customer civil core release language client'.split(
    ' ',
  ),
);

const CAPITALISED =
  /\b(?:[A-Z][\w&]*[ -]){1,4}(?:Services?|Microservice|API|Gateway|Worker|Scheduler|Backend|Frontend|Proxy|Processor|Pipeline|Dashboard|Database|DB|Datastore|Warehouse|Cache|Queue|Broker|Topic|[Tt]eam|[Ss]quad)\b/g;
/** "the Checkout service": the last word describes rather than names. */
const DESCRIBED = /\b(?:[A-Z][\w&]*[ -]){1,3}(?:service|gateway|worker|database|queue|pipeline|team|squad)\b/g;
/** "order.created": events are called after what has happened. */
const EVENT = /(?<![\w./-])[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*\.[a-z_]+ed(?![\w./-])/g;
/** "ServiceA", "Service1": how examples call their services. */
const NUMBERED = /\bService[A-Z0-9]\w*\b/g;
const TEAM_FIRST = /\b(?:Team|Squad) [A-Z][\w&-]*(?: [A-Z][\w&-]*)?/g;
const KEBAB =
  /(?<![\w./@-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:service|svc|api|gateway|worker|scheduler|backend|frontend|proxy|processor|db|database|cache|queue|broker|topic|team|squad)(?![\w/-])/g;
const PASCAL =
  /\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)*(?:Service|Api|API|Gateway|Worker|Scheduler|Backend|Frontend|Processor|Pipeline|Dashboard|Database|DB|Cache|Queue|Broker)\b/g;

/** The kind that the form of a name reveals. */
export function kindOfName(name: string): Kind | undefined {
  const words = cleanName(name).split(/[\s_-]+|(?<=[a-z0-9])(?=[A-Z])/);
  const last = words.at(-1)?.toLowerCase() ?? '';
  if (words.length < 2 || words.length > 6 || !isNameLike(name)) return undefined;
  if (/^Service[A-Z0-9]\w*$/.test(name)) return 'service';
  if (/^(?:team|squad)$/i.test(words[0] ?? '')) return /^members?$/.test(last) ? undefined : 'team';
  if (words.slice(0, -1).every((word) => NOT_NAMES.has(word.toLowerCase()))) return undefined;
  return KIND_OF_SUFFIX.get(last);
}

/** Capitals throughout, or one identifier: "Simple server" and "denial-of-service" are not names. */
function isNameLike(name: string): boolean {
  const clean = cleanName(name);
  const words = clean.split(/\s+/);
  if (words.length === 1)
    return /^[A-Z]/.test(name) || (/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+$/.test(clean) && !/-(?:to|of|as|a|for|in|and)-/.test(name));
  return words.every(
    (word, index) =>
      /^[A-Z0-9]/.test(word) ||
      (index === words.length - 1 && /^(?:service|gateway|worker|database|queue|pipeline|team|squad)$/.test(word)),
  );
}

/** The things that a text mentions: names that are known or were found in the document, and names whose form says what they are. */
export function mentionsIn(text: string, findings: Findings): Mention[] {
  const found = [...knownMentions(text, findings), ...formMentions(text, findings)];
  found.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
  const kept: Mention[] = [];
  for (const mention of found) if (!kept.some((other) => mention.start < other.end && other.start < mention.end)) kept.push(mention);
  return kept.sort((a, b) => a.start - b.start);
}

function knownMentions(text: string, findings: Findings): Mention[] {
  const tokens = [...text.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}_.+#/@-]*[\p{L}\p{N}+#])?/gu)];
  const mentions: Mention[] = [];
  for (const [first, { index: start }] of tokens.entries()) {
    for (const last of tokens.slice(first, first + LONGEST_KNOWN)) {
      const end = last.index + last[0].length;
      const written = text.slice(start, end);
      if (/[.;:!?()\n]\s/.test(written)) break;
      const known = knownName(written, findings);
      if (known) mentions.push({ start, end, ...known });
    }
  }
  return mentions;
}

function knownName(written: string, findings: Findings): Omit<Mention, 'start' | 'end'> | undefined {
  const key = entityKey(written);
  const present = findings.withKey(key);
  const known = findings.ontology.known(key);
  const meant = present && (present.name === written || present.aliases.has(written) || /[\s\d_-]|[a-z][A-Z]/.test(written));
  if (present && (meant || known?.exact === false)) return { name: present.name, kind: present.kind, type: present.type };
  if (!known || (known.exact && !written.split(/[\s/]/).every((word) => known.name.includes(word)))) return undefined;
  return { name: known.name, kind: known.kind, type: known.type };
}

function formMentions(text: string, findings: Findings): Mention[] {
  const mentions: Mention[] = [];
  for (const pattern of [CAPITALISED, DESCRIBED, EVENT, NUMBERED, TEAM_FIRST, KEBAB, PASCAL]) {
    for (const match of text.matchAll(pattern)) {
      const written = withoutLeadingWords(match[0]);
      const kind = pattern === EVENT ? 'topic' : written && kindOfName(written);
      const type = kind && findings.ontology.typeOf(kind);
      if (!kind || type === undefined) continue;
      const end = match.index + match[0].length;
      const [, shorter] = /^(.+) (?:service|gateway|worker|database|queue|pipeline)$/.exec(written) ?? [];
      mentions.push({ start: end - written.length, end, name: written, kind, type, ...(shorter !== undefined && { aliases: [shorter] }) });
    }
  }
  return mentions;
}

/** "When The Order Service" is about the Order Service. */
function withoutLeadingWords(name: string): string {
  const words = name.split(' ');
  const isLeading = (word = '') => NOT_NAMES.has(word.toLowerCase()) || OPENERS.has(word);
  while (words.length > 1 && isLeading(words[0])) words.shift();
  return words.length > 1 || /[-a-z0-9][A-Z]|[-.]/.test(name) ? words.join(' ') : '';
}

const OPENERS = new Set(
  'When If Once After Before While Then And Or But For From In On At To With By As Because Since Where Both Here There Also See Note'.split(
    ' ',
  ),
);
