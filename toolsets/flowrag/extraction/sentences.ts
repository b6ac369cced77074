import type { Block } from '../document/document.ts';
import { pieces } from './legible.ts';

/** A sentence without markup, and the line on which it begins. */
export interface Sentence {
  text: string;
  line: number;
}

/** The sentences of a block; each item of a list is taken by itself. */
export function sentencesOf(block: Block): Sentence[] {
  return unitsOf(block).flatMap(splitSentences);
}

/** The lines of a block, those of each list item together. */
function unitsOf({ kind, text, startLine }: Block): Sentence[][] {
  const units: Sentence[][] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const item = kind === 'list' && /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.test(raw);
    if (item || units.length === 0) units.push([]);
    for (const piece of pieces(raw)) units.at(-1)?.push({ text: withoutMarkup(piece), line: startLine + index });
  }
  return units;
}

/** Inline Markdown as it reads: links by their words, no emphasis, no list or quote marks. */
export function withoutMarkup(line: string): string {
  return line
    .replace(/^\s*(?:>\s*)+/, '')
    .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
    .replace(/!\[[^[\]]*\]\([^)[]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^)[]*\)/g, '$1')
    .replace(/\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]/g, '$1')
    .replace(/[*`~]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/<?\b[a-z][a-z0-9+.-]*:\/\/[^\s)>\]]+>?/gi, '…')
    .replace(/\s+/g, ' ')
    .trim();
}

function splitSentences(lines: readonly Sentence[]): Sentence[] {
  const sentences: Sentence[] = [];
  let current: Sentence | undefined;
  for (const { text, line } of lines) {
    for (const part of text.split(/(?<=[.!?])\s+(?=["“(]?\p{Lu})/u)) {
      if (part === '') continue;
      current = current ? { text: `${current.text} ${part}`, line: current.line } : { text: part, line };
      if (/[.!?]["”)]?$/.test(part)) {
        sentences.push(current);
        current = undefined;
      }
    }
  }
  return current ? [...sentences, current] : sentences;
}
