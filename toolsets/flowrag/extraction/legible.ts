import type { Block, ParsedDocument, Section } from '../document/document.ts';

/** No name, address or verb that the rules know is longer. */
const LONGEST_WORD = 300;
const LONGEST_HEADING = 300;
const LONGEST_DIAGRAM_LINE = 1000;
const LONGEST_LINE = 4000;

/**
 * A document as the rules read it: encoded data and other words without end are cut, and lines are bounded, so that
 * what a rule costs grows with the size of the document and never with its square.
 */
export function legible(document: ParsedDocument): ParsedDocument {
  return { ...document, text: legibleText(document.text), sections: document.sections.map(legibleSection) };
}

export function legibleText(text: string): string {
  return text.replace(/[\w.+@-]+/g, (word) => (word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}…` : word));
}

/** A text in lines of bounded length, without the empty ones. */
export function shortLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (line.length <= LONGEST_WORD ? [line] : pieces(line.replace(/\s+/g, ' '))))
    .join('\n');
}

/** A long line in pieces that end between words where there are any. */
export function pieces(line: string): string[] {
  const found: string[] = [];
  let rest = 0;
  while (line.length - rest > LONGEST_LINE) {
    const space = line.lastIndexOf(' ', rest + LONGEST_LINE);
    const end = space > rest ? space : rest + LONGEST_LINE;
    found.push(line.slice(rest, end));
    rest = end;
  }
  return [...found, line.slice(rest)];
}

function legibleSection(section: Section): Section {
  const headings = section.headings.map((heading) => legibleText(heading).slice(0, LONGEST_HEADING));
  return { ...section, headings, blocks: section.blocks.map(legibleBlock) };
}

function legibleBlock(block: Block): Block {
  const most = block.kind === 'code' ? LONGEST_DIAGRAM_LINE : block.kind === 'paragraph' ? Number.POSITIVE_INFINITY : LONGEST_LINE;
  const line = (raw: string) => (raw.length <= LONGEST_WORD ? raw : legibleText(raw).replace(/\s+/g, ' ').slice(0, most));
  return { ...block, text: block.text.split('\n').map(line).join('\n') };
}
