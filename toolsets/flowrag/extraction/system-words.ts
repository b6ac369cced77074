import type { ParsedDocument } from '../document/document.ts';
import { entityKey } from '../schema.ts';
import { shortLines } from './legible.ts';
import { TECHNOLOGIES } from './technologies.ts';

/** How much must speak for a text being about systems: less where the text is short. */
const ENOUGH = 4;
const ENOUGH_IF_SHORT = 2.5;
const SHORT = 1500;
const LEAST_SIGNALS = 2;
const LONGEST_READ = 200_000;
const OF_TECHNOLOGY = 2;
/** All everyday words that are also technologies count together as much as half of one. */
const OF_AMBIGUOUS = 1;
const OF_DECLARATION = 3;

/**
 * What only descriptions of systems say, with how much each weighs. Words of programming at large (API, JSON, command
 * line) are not among them: the manual of a library describes no system.
 */
const HARD: readonly (readonly [RegExp, number])[] = [
  [/\bmicro-?services?\b/i, 3],
  [/\b(?:message|event|task|job) (?:queue|broker|bus|stream)s?\b|\bpub\/sub\b/i, 2],
  [/\bdata (?:pipeline|warehouse|lake)s?\b|\bETL\b/i, 1.5],
  [/\bload balancers?\b|\bAPI gateway\b/i, 1.5],
  [/\b(?:publish(?:es)?|emits?|produces?|consumes?|subscribes?)\b[^.\n]{0,30}\b(?:events?|messages|topics?|queue)\b/i, 2],
  [/\b(?:publish\w*|produces?|consumes?|subscribes?|sends?|streams?|reads?|writes?)\b[^.\n]{0,40}\b(?:Kafka|Kinesis|NATS|Pulsar)\b/i, 2],
  [/\b(?:stores?|persists?|reads?|writes?)\b[^.\n]{0,40}\b(?:database|bucket|cache|queue)\b/i, 1],
  [/\b(?:back-?end|upstream|downstream) services?\b/i, 1.5],
  [/(?<![\w/.@-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:service|svc|worker|gateway|db)(?![\w/-])/, 2],
  [/\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)*(?:Service|Gateway)\b|\bService[A-Z0-9]\b/, 1.5],
  [/^\s*(?:```|~~~)\s*mermaid/m, 1.5],
  [/\b(?:Kubernetes|K8s|Terraform|gRPC|GraphQL|OAuth ?2|REST APIs?|runbook)\b/, 1],
];
/** Weaker signals: other texts use these words too. */
const SOFT: readonly (readonly [RegExp, number])[] = [
  [/\b(?:APIs?|JSON|HTTPS?|endpoints?|databases?|back-?end|front-?end)\b/, 0.5],
  [/\bdata flows?\b/i, 1],
  [/\b(?:[A-Z][a-z]+ ){1,2}(?:Service|Gateway|Database|Worker|API)\b/, 1.5],
  [/\b[a-z]{3,} (?:service|gateway|worker)\b/, 0.5],
  [/^\s*[-*+]\s+\*\*(?:Owner|Team|Database|Depends on|Dependencies|Publishes|Consumes|Produces|Protocol)\b/im, 1.5],
  [/^\s*\|.*\b(?:Service|Component|Owner|Depends on|Database)\b.*\|/im, 1],
  [/\S\s*(?:->|→|-->)\s*\S+.*(?:->|→|-->)/, 1],
  [/\b(?:on-call|SLOs?|deployed (?:to|on|as))\b/, 0.5],
];

/** Whether a text is about software systems. Elsewhere the rules stay silent: a cook's "service" is none of theirs. */
export function aboutSystems(document: ParsedDocument): boolean {
  const text = withoutAddresses(shortLines(document.text.slice(0, LONGEST_READ)));
  const weights = (signals: typeof HARD) => signals.flatMap(([pattern, weight]) => (pattern.test(text) ? [weight] : []));
  const { certain, ambiguous } = technologySignals(text);
  const hard = [...weights(HARD), ...certain, ...(declares(document.frontMatter) ? [OF_DECLARATION] : [])];
  if (hard.length === 0) return false;
  const all = [...hard, ...weights(SOFT), ...(ambiguous ? [OF_AMBIGUOUS] : [])];
  const score = all.reduce((sum, weight) => sum + weight, 0);
  return all.length >= LEAST_SIGNALS && score >= (text.length < SHORT ? ENOUGH_IF_SHORT : ENOUGH);
}

/** Addresses name protocols and hosts that the text is not about. */
function withoutAddresses(text: string): string {
  return text.replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s)>\]]+/gi, ' ').replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, ' ');
}

function technologySignals(text: string): { certain: number[]; ambiguous: boolean } {
  const words = new Set((text.match(/[A-Za-z][\w.+-]*\w/g) ?? []).flatMap((word) => [word, entityKey(word)]));
  const found = TECHNOLOGIES.filter(({ name, aliases, ambiguous, kind }) => {
    const single = [name, ...aliases].filter((written) => !written.includes(' '));
    return kind !== 'protocol' && single.some((written) => words.has(ambiguous ? written : entityKey(written)));
  });
  return {
    certain: found.filter(({ ambiguous }) => !ambiguous).map(() => OF_TECHNOLOGY),
    ambiguous: found.some(({ ambiguous }) => ambiguous),
  };
}

/** Front matter that says what the document describes. */
function declares(frontMatter: Readonly<Record<string, unknown>>): boolean {
  const technical = ['depends_on', 'dependsOn', 'consumes', 'produces', 'database', 'service'].some(
    (key) => frontMatter[key] !== undefined,
  );
  return technical && ['owner', 'team', 'type', 'depends_on', 'dependsOn', 'name'].some((key) => frontMatter[key] !== undefined);
}
