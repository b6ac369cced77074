import type { Section } from '../document/document.ts';
import { cleanName, type Findings } from './findings.ts';
import { mentionsIn } from './mentions.ts';
import type { Kind, RelationKind } from './ontology.ts';
import { VERBS } from './prose.ts';
import { withoutMarkup } from './sentences.ts';

const LABELLED = 0.85;
const PLAIN = 0.7;
const ARROW = /\s*(?:-{1,3}\.?-*>{1,2}|={1,3}>|→|⟶|➔|➜|⇒)\s*/;
const MOST_NODE_WORDS = 4;
const DATA_FLOW = /\b(?:data|events?|messages?|stream\w*|pipeline|ingest\w*|ETL)\b/i;

/** Names at the ends of drawings that are not part of the system. */
const NOBODY = /^(?:(?:all|any|each|every|other|some|the)\b.*|clients?|users?|customers?|browsers?|start|end|stop|done)$/i;

interface Node {
  name: string;
  kind: Kind | undefined;
  /** Known by name or by form, not merely named here. */
  certain: boolean;
}

/** Chains such as "Orders → Kafka → Analytics", in text and in diagrams. */
export function* readArrows(sections: readonly Section[], findings: Findings): Generator<void, void, void> {
  for (const section of sections) {
    for (const block of section.blocks) {
      const diagram = block.kind === 'code';
      if (diagram && !['', 'mermaid', 'text', 'txt', 'ascii'].includes(block.language ?? '')) continue;
      const nodes = new Map<string, string>();
      for (const [index, raw] of block.text.split('\n').entries()) {
        const line = { number: block.startLine + index, text: raw, data: DATA_FLOW.test(`${section.headings.at(-1) ?? ''} ${raw}`) };
        if (block.language === 'mermaid') readMermaid(line, nodes, findings);
        else if (ARROW.test(raw)) readChain(chainOf(raw), line, findings);
        yield;
      }
    }
  }
}

interface Line {
  number: number;
  text: string;
  data: boolean;
}

interface Step {
  name: string;
  /** What is written on the arrow to the next step. */
  label: string;
}

function chainOf(raw: string): Step[] {
  const text = withoutMarkup(raw).replace(/^[^:→>-]{1,40}:\s+(?=\S)/, '');
  return text.split(ARROW).map((part) => ({ name: part.replace(/\([^)]*\)/g, '').replace(/[.;]\s.*$/, ''), label: '' }));
}

/** One line of a flowchart or a sequence diagram. */
function readMermaid(line: Line, nodes: Map<string, string>, findings: Findings): void {
  const [, id, called = ''] = /^\s*(?:participant|actor)\s+(\S+)\s+as\s+(.+)$/.exec(line.text) ?? [];
  if (id !== undefined) nodes.set(id, called.trim());
  const [message, from = '', to = '', label = ''] = /^\s*([\w-]+)\s*-{1,2}>{1,2}\s*[+-]?([\w-]+)\s*:\s*(.*)$/.exec(line.text) ?? [];
  if (message !== undefined) {
    const chain = [
      { name: nodes.get(from) ?? from, label },
      { name: nodes.get(to) ?? to, label: '' },
    ];
    if (!line.text.includes('-->>')) readChain(chain, line, findings);
    return;
  }
  const steps = line.text
    .replace(/--\s+([^->|]+?)\s+--?>/g, '-->|$1|')
    .split(/\s*(?:-{2,3}>|-\.->|={2,3}>|---)\s*/)
    .map((part) => mermaidNode(part, nodes));
  // A label is written before the node that its arrow leads to.
  readChain(
    steps.map(({ name }, index) => ({ name, label: steps[index + 1]?.label ?? '' })),
    line,
    findings,
  );
}

/** `|label| id[Name]`: the name is remembered for the id. */
function mermaidNode(part: string, nodes: Map<string, string>): Step {
  const [, label = '', id = '', shape = ''] = /^\s*(?:\|([^|]*)\|)?\s*([\w-]*)\s*(.*?)\s*;?\s*$/.exec(part) ?? [];
  const name = shape
    .replace(/^[[({>"/\\]+|[\])}"/\\]+$/g, '')
    .replace(/^"|"$/g, '')
    .trim();
  if (name) nodes.set(id, name);
  return { name: nodes.get(id) ?? id, label };
}

/** Neighbours in a chain are related where both are known, or where most of the chain is. */
function readChain(steps: readonly Step[], line: Line, findings: Findings): void {
  const nodes = steps.map(({ name }) => nodeOf(name, findings));
  const certain = nodes.filter((node) => node?.certain).length;
  if (certain === 0) return;
  const data = line.data || nodes.some((node) => node?.kind === 'queue' || node?.kind === 'topic');
  for (const [index, { label }] of steps.entries()) {
    const [from, to] = [nodes[index], nodes[index + 1]];
    const stated = labelled(label);
    if (from && to && (stated || certain >= 2 || (from.certain && to.certain))) readArrow(from, to, stated, { ...line, data }, findings);
  }
}

function readArrow(from: Node, to: Node, stated: RelationKind | undefined, line: Line, findings: Findings): void {
  for (const { name, kind } of [from, to]) findings.add({ name, kind: kind ?? 'service', line: line.number });
  const relation = stated
    ? { kind: stated, reversed: false }
    : flowOf(findings.get(from.name)?.kind, findings.get(to.name)?.kind, line.data);
  if (!relation) return;
  const [source, target] = relation.reversed ? [to.name, from.name] : [from.name, to.name];
  const evidence = withoutMarkup(line.text);
  findings.relate({ source, target, kind: relation.kind, line: line.number, evidence, confidence: stated ? LABELLED : PLAIN });
}

function nodeOf(text: string, findings: Findings): Node | undefined {
  const name = cleanName(text);
  if (!/\p{L}/u.test(name) || name.split(' ').length > MOST_NODE_WORDS) return undefined;
  const [mention] = mentionsIn(name, findings);
  if (mention && mention.end - mention.start >= name.length - 12) return { name: mention.name, kind: mention.kind, certain: true };
  return /^\p{Lu}|[-_]/u.test(name) && !NOBODY.test(name) ? { name, kind: undefined, certain: false } : undefined;
}

function labelled(label: string): RelationKind | undefined {
  return VERBS.find(({ pattern, passive }) => !passive && new RegExp(pattern.source, 'iu').test(`${label} to`))?.kind;
}

/** What an arrow without words means: into a queue it produces, out of one it consumes, else it calls, or feeds where the text is about data. */
function flowOf(from: Kind | undefined, to: Kind | undefined, data: boolean): { kind: RelationKind; reversed: boolean } | undefined {
  if (from === 'team') return to === 'team' ? undefined : { kind: 'owns', reversed: false };
  if (to === 'team') return undefined;
  if (to === 'queue' || to === 'topic') return { kind: 'produces', reversed: false };
  if (from === 'queue' || from === 'topic') return { kind: 'consumes', reversed: true };
  if (from === 'database') return { kind: 'uses', reversed: true };
  if (to === 'database' || to === 'protocol') return { kind: 'uses', reversed: false };
  return data ? { kind: 'consumes', reversed: true } : { kind: 'uses', reversed: false };
}
