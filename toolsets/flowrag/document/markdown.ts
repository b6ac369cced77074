import type { Block, BlockKind, Section } from './document.ts';

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const QUOTE = /^ {0,3}>/;

/** Reads the lines of Markdown into sections and blocks; `firstLine` is the number of the first of them. */
export function* markdownSections(lines: readonly string[], firstLine = 1): Generator<void, Section[], void> {
  const reader = new SectionReader();
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    const number = firstLine + index;
    const heading = headingAt(lines, index);
    const fence = FENCE.exec(line);
    if (heading) {
      reader.heading(heading.level, heading.text, number);
      index += heading.lines;
    } else if (fence) {
      const end = fenceEnd(lines, index, fence[1] ?? '');
      reader.block('code', lines.slice(index, end), number, fence[2] || undefined);
      index = end;
    } else if (line.trim() === '') {
      index++;
    } else {
      const kind = kindOfLine(line);
      const end = blockEnd(lines, index, kind);
      reader.block(kind, lines.slice(index, end), number);
      index = end;
    }
    yield;
  }
  return reader.finish(firstLine + lines.length - 1);
}

/** Paragraphs between empty lines, without headings. */
export function paragraphSections(lines: readonly string[], kind: BlockKind = 'paragraph', language?: string): Section[] {
  const reader = new SectionReader();
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (lines[end]?.trim()) end++;
    if (end > index) reader.block(kind, lines.slice(index, end), index + 1, language);
    index = end + 1;
  }
  return reader.finish(lines.length);
}

function headingAt(lines: readonly string[], index: number): { level: number; text: string; lines: number } | undefined {
  const line = lines[index] ?? '';
  const [, marks, text = ''] = HEADING.exec(line) ?? [];
  if (marks) return { level: marks.length, text: plainHeading(withoutClosing(text)), lines: 1 };
  const under = lines[index + 1];
  if (under === undefined || line.trim() === '' || kindOfLine(line) !== 'paragraph') return undefined;
  if (/^ {0,3}=+\s*$/.test(under)) return { level: 1, text: plainHeading(line), lines: 2 };
  if (/^ {0,3}-{2,}\s*$/.test(under)) return { level: 2, text: plainHeading(line), lines: 2 };
  return undefined;
}

/** "Orders ##" is closed by its signs. Without a pattern: one that looks for an end tries every beginning. */
function withoutClosing(text: string): string {
  const closed = text.trimEnd();
  let end = closed.length;
  while (closed[end - 1] === '#') end--;
  return closed.slice(0, end);
}

/** The words of a heading without its marks. */
function plainHeading(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^)[]*\)/g, '$1')
    .replace(/\{#[^{}]*\}/g, '')
    .replace(/[*`~]|(?<!\w)_|_(?!\w)/g, '')
    .trim();
}

function kindOfLine(line: string): BlockKind {
  if (LIST_ITEM.test(line)) return 'list';
  if (TABLE_ROW.test(line)) return 'table';
  if (QUOTE.test(line)) return 'quote';
  return 'paragraph';
}

function fenceEnd(lines: readonly string[], start: number, mark: string): number {
  const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  for (let index = start + 1; index < lines.length; index++) if (close.test(lines[index] ?? '')) return index + 1;
  return lines.length;
}

/** A list continues over indented lines and single empty ones; tables, quotes and paragraphs end at the first other line. */
function blockEnd(lines: readonly string[], start: number, kind: BlockKind): number {
  let index = start + 1;
  while (index < lines.length && continues(kind, lines, index)) index++;
  return index;
}

function continues(kind: BlockKind, lines: readonly string[], index: number): boolean {
  const [line = '', next = ''] = lines.slice(index, index + 2);
  if (line.trim() === '') return kind === 'list' && (LIST_ITEM.test(next) || /^\s{2,}\S/.test(next));
  if (HEADING.test(line) || FENCE.test(line)) return false;
  if (kind === 'list') return true;
  if (kind === 'table') return TABLE_ROW.test(line);
  return kindOfLine(line) === kind && !(kind === 'paragraph' && headingAt(lines, index));
}

/** Collects blocks below their headings. */
export class SectionReader {
  readonly #sections: Section[] = [];
  #path: { level: number; text: string }[] = [];
  #current: Section = { headings: [], startLine: 1, endLine: 1, blocks: [] };

  heading(level: number, text: string, line: number): void {
    this.#close(line - 1);
    this.#path = [...this.#path.filter((heading) => heading.level < level), { level, text }];
    const headings = this.#path.map((heading) => heading.text).filter((heading) => heading !== '');
    this.#current = { headings, startLine: line, endLine: line, blocks: [] };
  }

  block(kind: BlockKind, lines: readonly string[], startLine: number, language?: string): void {
    const block: Block = { kind, text: lines.join('\n'), startLine, endLine: startLine + lines.length - 1, ...(language && { language }) };
    this.#current.blocks.push(block);
  }

  finish(lastLine: number): Section[] {
    this.#close(lastLine);
    return this.#sections;
  }

  #close(endLine: number): void {
    const { headings, blocks } = this.#current;
    if (headings.length > 0 || blocks.length > 0)
      this.#sections.push({ ...this.#current, endLine: Math.max(endLine, this.#current.startLine) });
  }
}
