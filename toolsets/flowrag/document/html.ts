import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const { isTextNode, isElementNode } = defaultTreeAdapter;

const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'nav', 'iframe', 'object', 'canvas', 'button', 'select']);
const BREAKS = new Set(
  'p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr pre blockquote figure figcaption hr br form fieldset details summary address'.split(
    ' ',
  ),
);
/** Longer lines than this on average were not written for people to point at. */
const LONGEST_WRITTEN_LINE = 400;

export interface HtmlText {
  title: string | undefined;
  /** The text as lines of Markdown; each is on the line of the file that it comes from, unless the file has no real lines. */
  lines: string[];
}

/** `hasLines: false` for markup that a program wrote. */
export function htmlText(source: string, hasLines = true): HtmlText {
  const written = source.split(/\r\n|\r|\n/).length;
  const keepsLines = hasLines && source.length / written <= LONGEST_WRITTEN_LINE;
  const document = parse(source, { sourceCodeLocationInfo: true });
  const writer = new LineWriter(keepsLines ? written : undefined);
  let title: string | undefined;
  const visit = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if (isTextNode(node)) writer.text(node.value, node.sourceCodeLocation?.startLine ?? 1);
      if (!isElementNode(node)) continue;
      const { tagName } = node;
      if (tagName === 'title') {
        title ??= textOf(node) || undefined;
        continue;
      }
      if (HIDDEN.has(tagName)) continue;
      if (BREAKS.has(tagName)) writer.open(markOf(node));
      if (tagName === 'td' || tagName === 'th') writer.cell();
      visit(node.childNodes);
      if (tagName === 'tr') writer.endRow();
      if (BREAKS.has(tagName)) writer.open('');
    }
  };
  visit(document.childNodes);
  return { title, lines: writer.finish() };
}

function markOf({ tagName }: Element): string {
  if (/^h[1-6]$/.test(tagName)) return `${'#'.repeat(Number(tagName[1]))} `;
  if (tagName === 'li') return '- ';
  return tagName === 'blockquote' ? '> ' : '';
}

function textOf(element: Element): string {
  return element.childNodes
    .map((child) => (isTextNode(child) ? child.value : ''))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Puts text onto the lines it came from, or onto new lines where the file has none worth keeping. */
class LineWriter {
  readonly #lines: string[];
  readonly #keeps: boolean;
  #mark = '';
  #fresh = true;

  constructor(lines: number | undefined) {
    this.#keeps = lines !== undefined;
    this.#lines = Array.from({ length: lines ?? 0 }, () => '');
  }

  open(mark: string): void {
    if (mark || !this.#mark) this.#mark = mark;
    this.#fresh = true;
  }

  cell(): void {
    this.#mark = this.#fresh ? '| ' : ' | ';
    if (this.#fresh) return;
    this.#append(' | ');
    this.#mark = '';
  }

  endRow(): void {
    const last = this.#lines.findLastIndex((line) => line !== '');
    if (this.#lines[last]?.startsWith('| ')) this.#lines[last] = `${this.#lines[last].trimEnd()} |`;
  }

  text(value: string, startLine: number): void {
    value.split(/\r\n|\r|\n/).forEach((piece, offset) => {
      const words = piece.replace(/\s+/g, ' ');
      if (words.trim() !== '') this.#put(words, startLine - 1 + offset);
      else if (words === ' ' && !this.#fresh) this.#append(' ');
    });
  }

  #put(words: string, line: number): void {
    if (!this.#keeps) {
      if (this.#fresh) this.#lines.push('', this.#mark + words.trimStart());
      else this.#append(words);
    } else {
      const at = Math.min(line, this.#lines.length - 1);
      const before = this.#lines[at] ?? '';
      this.#lines[at] = before === '' ? this.#mark + words.trimStart() : before + (this.#fresh ? ' ' : '') + words;
    }
    this.#mark = '';
    this.#fresh = false;
  }

  #append(words: string): void {
    const last = Math.max(
      0,
      this.#lines.findLastIndex((line) => line !== ''),
    );
    this.#lines[last] = (this.#lines[last] ?? '') + words;
  }

  finish(): string[] {
    return this.#lines.map((line) => line.trimEnd());
  }
}
