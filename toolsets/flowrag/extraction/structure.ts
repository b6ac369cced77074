import type { Block, ParsedDocument, Section } from '../document/document.ts';
import { type Attribute, isMeaningful, keyOf, readAttributes } from './attributes.ts';
import { cleanName, type Findings } from './findings.ts';
import { legibleText } from './legible.ts';
import { kindOfName } from './mentions.ts';
import { sentencesOf, withoutMarkup } from './sentences.ts';

const BY_STRUCTURE = 0.95;
const KEY_VALUE = /^\s*(?:[-*+]\s+)?(?:\*\*|__)([^*_\n]{1,40}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*:)\s*(.+)$/;
const PLAIN_KEY_VALUE = /^\s*[-*+]\s+([A-Za-z][A-Za-z /_-]{1,30}):\s+(.+)$/;
const SUBJECT_COLUMNS = new Set(
  'service services component components system systems application name microservice database team module'.split(' '),
);
const MOST_HEADING_WORDS = 6;

/** Headings with what is listed below them, lists and tables: where documents about systems say most, and most plainly. */
export function* readStructure(sections: readonly Section[], findings: Findings): Generator<void, void, void> {
  for (const section of sections) {
    readHeading(section, findings);
    yield;
  }
  for (const section of sections) {
    for (const block of section.blocks) {
      if (block.kind === 'table') readTable(block, section, findings);
      if (block.kind === 'list') readTypedList(block, section, findings);
      yield;
    }
  }
}

/** Front matter that says what the document is about. */
export function readFrontMatter({ frontMatter, title }: ParsedDocument, findings: Findings): void {
  const attributes = Object.entries(frontMatter).flatMap(([key, value]): Attribute[] => {
    const text = valueText(value);
    return text === '' ? [] : [{ key: keyOf(key.replace(/([a-z])([A-Z])/g, '$1 $2')), value: text, line: 1, evidence: `${key}: ${text}` }];
  });
  const name = frontMatter.name ?? frontMatter.service ?? title;
  if (typeof name === 'string' && attributes.some(({ key }) => isMeaningful(key)))
    readAttributes({ name, line: 1, attributes }, BY_STRUCTURE, findings);
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join(', ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? legibleText(String(value)) : '';
}

/** A heading is a thing where its name, the heading above it or the keys below it say so. */
function readHeading(section: Section, findings: Findings): void {
  const heading = section.headings.at(-1);
  if (heading === undefined || heading.split(' ').length > MOST_HEADING_WORDS) return;
  const { name, alias } = headingName(heading);
  const attributes = section.blocks.flatMap(attributesIn);
  const above = section.headings.at(-2);
  const type = above === undefined ? undefined : findings.ontology.typeNamed(above);
  const kind = kindOfName(name);
  const known = findings.get(name) !== undefined;
  if (attributes.length === 0 && !kind && !type && !known) return;
  const described = attributes.some(({ key }) => isMeaningful(key));
  if (!kind && !known && !described && type === undefined) return;
  readAttributes(
    { name, line: section.startLine, attributes: [...attributes, ...alias], description: firstSentence(section), kind, type },
    BY_STRUCTURE,
    findings,
  );
}

/** What a section is about: the innermost of its headings that is a thing. */
export function topicOf({ headings }: Section, findings: Findings): ReturnType<Findings['get']> {
  return headings.map((heading) => findings.get(headingName(heading).name)).findLast((thing) => thing !== undefined);
}

/** "1.2 Order Service (OMS)" is the Order Service, also called OMS. */
function headingName(heading: string): { name: string; alias: Attribute[] } {
  const [, bare = '', inBrackets] = /^(?:\d+(?:\.\d+)*[.)]?\s+)?(.*?)(?:\s*\(([^)]{2,30})\))?$/.exec(heading) ?? [];
  const alias =
    inBrackets && /^[A-Z][A-Za-z0-9-]{1,14}$/.test(inBrackets) ? [{ key: 'aliases', value: inBrackets, line: 0, evidence: heading }] : [];
  return { name: bare, alias };
}

function attributesIn(block: Block): Attribute[] {
  if (block.kind !== 'list' && block.kind !== 'paragraph') return [];
  return block.text.split('\n').flatMap((line, index): Attribute[] => {
    const [, key, value] = KEY_VALUE.exec(line) ?? PLAIN_KEY_VALUE.exec(line) ?? [];
    return key === undefined || value === undefined
      ? []
      : [{ key: keyOf(key), value: value.trim(), line: block.startLine + index, evidence: withoutMarkup(line) }];
  });
}

function firstSentence({ blocks }: Section): string {
  const block = blocks.find(({ kind, text }) => kind === 'paragraph' && !KEY_VALUE.test(text));
  return block ? (sentencesOf(block)[0]?.text ?? '') : '';
}

/** "## Services" above "- **Orders**: takes orders" makes Orders a service. */
function readTypedList(block: Block, section: Section, findings: Findings): void {
  const type = findings.ontology.typeNamed(section.headings.at(-1) ?? '');
  if (type === undefined) return;
  for (const [index, line] of block.text.split('\n').entries()) {
    const [, name, rest = ''] =
      /^[-*+]\s+(?:\*\*|`|__)?([^*`:–—(]{2,60}?)(?:\*\*|`|__)?\s*(?:(?::|–|—|\s-\s|\()\s*(.*))?$/.exec(line) ?? [];
    if (name === undefined || isMeaningful(keyOf(name)) || !/^[\p{Lu}\p{N}]|^[a-z]+[-_][a-z]|^[a-z][\w]*$/u.test(cleanName(name))) continue;
    if (cleanName(name).split(' ').length > 4) continue;
    findings.add({ name, type, line: block.startLine + index, description: withoutMarkup(rest) });
  }
}

/** A table whose first column names things and whose others have keys as their titles. */
function readTable(block: Block, section: Section, findings: Findings): void {
  const [head = [], , ...rows] = block.text.split('\n').map(cellsOf);
  const columns = head.map(keyOf);
  const subject = columns.findIndex((column) => SUBJECT_COLUMNS.has(column) || findings.ontology.typeNamed(column) !== undefined);
  if (subject < 0) {
    readFlowTable(columns, rows, block, findings);
    return;
  }
  const type = findings.ontology.typeNamed(columns[subject] ?? '') ?? findings.ontology.typeNamed(section.headings.at(-1) ?? '');
  for (const [index, cells] of rows.entries()) {
    const line = block.startLine + index + 2;
    const evidence = cells.filter(Boolean).map(withoutMarkup).join(' | ');
    const attributes = columns.flatMap((key, column) =>
      column === subject || !cells[column] ? [] : [{ key, value: cells[column], line, evidence }],
    );
    const name = cells[subject] ?? '';
    if (cleanName(name)) readAttributes({ name, line, attributes, type }, BY_STRUCTURE, findings);
  }
}

const SOURCES = new Set(['source', 'from', 'caller', 'client', 'service a']);
const TARGETS = new Set(['target', 'to', 'destination', 'callee', 'service b']);

/** "From | To" says who calls or feeds whom, where both are known. */
function readFlowTable(columns: readonly string[], rows: readonly string[][], block: Block, findings: Findings): void {
  const [source, target] = [columns.findIndex((column) => SOURCES.has(column)), columns.findIndex((column) => TARGETS.has(column))];
  if (source < 0 || target < 0) return;
  for (const [index, cells] of rows.entries()) {
    const line = block.startLine + index + 2;
    const [from, to] = [cleanName(cells[source] ?? ''), cleanName(cells[target] ?? '')];
    if (![from, to].every((name) => findings.add({ name, kind: kindOfName(name), line }))) continue;
    const evidence = cells.map(withoutMarkup).join(' | ');
    findings.relate({ source: from, target: to, kind: 'uses', line, evidence, confidence: BY_STRUCTURE });
  }
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
