import type { ParsedDocument } from '../ingest/document.ts';
import { entityKey } from '../schema.ts';
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
 * What descriptions of systems say and other texts rarely do, with how much each weighs. Words of programming at large
 * (API, JSON, command line) are not among them: the manual of a library describes no system.
 */
const SIGNALS: readonly (readonly [RegExp, number])[] = [
  [/\bmicro-?services?\b/i, 3],
  [/\b(?:message|event|task|job) (?:queue|broker|bus|stream)s?\b|\bpub\/sub\b/i, 2],
  [/\bdata (?:pipeline|flow|warehouse|lake)s?\b|\bETL\b/i, 1.5],
  [/\bload balancers?\b/i, 1.5],
  [/\b(?:publish(?:es)?|emits?|produces?|consumes?|subscribes?)\b[^.\n]{0,40}\b(?:events?|messages?|topics?|queue)\b/i, 2],
  [/\b(?:stores?|persists?|reads?|writes?)\b[^.\n]{0,40}\b(?:database|table|bucket|cache|queue)\b/i, 1],
  [/\bdatabase\b/i, 0.5],
  [/\bback-?end services?\b|\bupstream services?\b|\bdownstream services?\b/i, 1.5],
  [/(?<![\w/.@-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:service|svc|worker|gateway|db)(?![\w/-])/, 2],
  [/\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)*(?:Service|Gateway)\b/, 1],
  [/\b(?:[A-Z][a-z]+ ){1,2}(?:Service|Gateway|Database|Worker|API)\b/, 1.5],
  [/\b[a-z]{3,} (?:service|gateway|worker)\b/, 0.5],
  [/^\s*[-*+]\s+\*\*(?:Owner|Team|Database|Depends on|Dependencies|Publishes|Consumes|Produces|Protocol)\b/im, 1.5],
  [/^\s*\|.*\b(?:Service|Component|Owner|Depends on|Database)\b.*\|/im, 1],
  [/^\s*(?:```|~~~)\s*mermaid/m, 1.5],
  [/\S\s*(?:->|→|-->)\s*\S+.*(?:->|→|-->)/, 1],
  [/\b(?:on-call|runbook|SLOs?|Kubernetes|K8s|Terraform|deployed (?:to|on|as))\b/, 1],
];

/** Whether a text is about software systems. Elsewhere the rules stay silent: a cook's "service" is none of theirs. */
export function aboutSystems(document: ParsedDocument): boolean {
  const text = withoutAddresses(document.text.slice(0, LONGEST_READ));
  const found = [...SIGNALS.flatMap(([pattern, weight]) => (pattern.test(text) ? [weight] : [])), ...technologySignals(text)];
  if (declares(document.frontMatter)) found.push(OF_DECLARATION, 0);
  const score = found.reduce((sum, weight) => sum + weight, 0);
  return found.length >= LEAST_SIGNALS && score >= (text.length < SHORT ? ENOUGH_IF_SHORT : ENOUGH);
}

/** Addresses name protocols and hosts that the text does not speak of. */
export function withoutAddresses(text: string): string {
  return text.replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s)>\]]+/gi, ' ').replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, ' ');
}

function technologySignals(text: string): number[] {
  const words = new Set((text.match(/[A-Za-z][\w.+-]*\w/g) ?? []).flatMap((word) => [word, entityKey(word)]));
  const weights: number[] = [];
  let ambiguous = false;
  for (const technology of TECHNOLOGIES) {
    if (technology.kind === 'protocol') continue;
    const single = [technology.name, ...technology.aliases].filter((written) => !written.includes(' '));
    if (technology.ambiguous) ambiguous ||= single.some((written) => words.has(written));
    else if (single.some((written) => words.has(entityKey(written)))) weights.push(OF_TECHNOLOGY);
  }
  return ambiguous ? [...weights, OF_AMBIGUOUS] : weights;
}

/** Front matter that says what the document describes. */
function declares(frontMatter: Readonly<Record<string, unknown>>): boolean {
  const keys = ['depends_on', 'dependsOn', 'consumes', 'produces', 'uses', 'service', 'owner', 'team', 'type'];
  return keys.filter((key) => frontMatter[key] !== undefined).length >= 2;
}
