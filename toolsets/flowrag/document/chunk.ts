import type { Block, Chunk, ParsedDocument, Section } from './document.ts';
import { turn } from './slices.ts';

/** Changes with every change of how documents are cut. */
export const CHUNKING_VERSION = '1';

export interface ChunkSize {
  /** The most tokens that one chunk may have together with its title and headings. */
  maxTokens: number;
  countTokens(text: string): Promise<number>;
  signal?: AbortSignal;
}

interface Piece {
  text: string;
  startLine: number;
  endLine: number;
  tokens: number;
}

const LARGEST_CHUNK = 400;
const MOST_PREFIX_TOKENS = 48;
/** Sections smaller than this are joined with their neighbours under the same heading. */
const SMALL_SECTION = 60;
const CHARACTERS_A_TOKEN = 4;
const LONGEST_LOOK = 20_000;
/** Text that is longer than this many characters for each token allowed is cut without counting. */
const SURELY_TOO_LONG = 12;

/** Cuts at headings first, then between blocks, lines and sentences, so that the embedder reads every chunk to its end. */
export async function chunkDocument(document: ParsedDocument, size: ChunkSize): Promise<Chunk[]> {
  const budget = Math.min(size.maxTokens, LARGEST_CHUNK) - MOST_PREFIX_TOKENS;
  const chunks: Chunk[] = [];
  for (const section of joinSmall(document.sections, budget)) {
    for (const piece of fill(await piecesOf(section.blocks, budget, size), budget)) {
      chunks.push({ ordinal: chunks.length, headings: section.headings, ...piece });
    }
    await turn(size.signal);
  }
  return chunks;
}

/** What is embedded: the text below the names of what it belongs to. */
export function embeddedText(title: string, chunk: Pick<Chunk, 'headings' | 'text'>): string {
  const names = [title, ...chunk.headings.filter((heading) => heading !== title)];
  const prefix = names.map((name) => name.slice(0, 80)).slice(-4);
  return `${prefix.join(' > ').slice(0, MOST_PREFIX_TOKENS * CHARACTERS_A_TOKEN)}\n${chunk.text}`;
}

interface Joined {
  headings: string[];
  sections: Section[];
  tokens: number;
}

function joinSmall(sections: readonly Section[], budget: number): { headings: string[]; blocks: Block[] }[] {
  const joined: Joined[] = [];
  for (const section of sections) {
    const tokens = section.blocks.reduce((sum, block) => sum + estimate(block.text), estimate(section.headings.at(-1) ?? ''));
    const before = joined.at(-1);
    if (before && Math.min(before.tokens, tokens) < SMALL_SECTION && before.tokens + tokens < budget) {
      const shared = sharedHeadings(before.headings, section.headings);
      if (shared.length > 0 || before.headings.length === 0) {
        before.headings = shared;
        before.sections.push(section);
        before.tokens += tokens;
        continue;
      }
    }
    joined.push({ headings: section.headings, sections: [section], tokens });
  }
  return joined.map((group) => ({ headings: group.headings, blocks: group.sections.flatMap((section) => blocksOf(section, group)) }));
}

/** The blocks of a section, below its heading unless the chunk's own headings already contain it. */
function blocksOf({ startLine, headings, blocks }: Section, group: Joined): Block[] {
  const isCovered = headings.length <= group.headings.length && (blocks.length > 0 || group.sections.length > 1);
  const heading = headings.at(-1);
  if (isCovered || heading === undefined) return blocks;
  return [{ kind: 'paragraph', text: heading, startLine, endLine: startLine }, ...blocks];
}

function sharedHeadings(a: readonly string[], b: readonly string[]): string[] {
  const differs = a.findIndex((heading, index) => heading !== b[index]);
  return differs < 0 ? [...a] : a.slice(0, differs);
}

function estimate(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

async function piecesOf(blocks: readonly Block[], budget: number, size: ChunkSize): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const { text, startLine, endLine } of blocks) pieces.push(...(await cut({ text, startLine, endLine, tokens: 0 }, budget, size)));
  return pieces;
}

/** A piece that is too large is cut at lines, then at sentences, then at words, then in the middle. */
async function cut(piece: Piece, budget: number, size: ChunkSize): Promise<Piece[]> {
  if (piece.text.trim() === '') return [];
  if (piece.text.length > budget * SURELY_TOO_LONG) await turn(size.signal);
  else {
    const tokens = await size.countTokens(piece.text);
    if (tokens <= budget || piece.text.length === 1) return [{ ...piece, tokens }];
  }
  const parts = partsOf(piece);
  const small: Piece[] = [];
  for (const part of parts) small.push(...(await cut(part, budget, size)));
  return fill(small, budget, parts.length > 1 && piece.startLine === piece.endLine ? ' ' : '\n');
}

function partsOf({ text, startLine, endLine }: Piece): Piece[] {
  const lines = text.split('\n');
  if (lines.length > 1) {
    const middle = lines.length >> 1;
    return [
      { text: lines.slice(0, middle).join('\n'), startLine, endLine: startLine + middle - 1, tokens: 0 },
      { text: lines.slice(middle).join('\n'), startLine: startLine + middle, endLine, tokens: 0 },
    ];
  }
  const at = nearMiddle(text, /[.!?;]\s+/g) ?? nearMiddle(text, /\s+/g) ?? text.length >> 1;
  return [text.slice(0, at).trim(), text.slice(at).trim()].map((half) => ({ text: half, startLine, endLine, tokens: 0 }));
}

/** The boundary that is nearest to the middle. Long texts are looked at around their middle only, which is where it nearly always is. */
function nearMiddle(text: string, boundary: RegExp): number | undefined {
  const from = Math.max(0, (text.length >> 1) - LONGEST_LOOK);
  const part = text.slice(from, (text.length >> 1) + LONGEST_LOOK);
  let best: number | undefined;
  for (const match of part.matchAll(boundary)) {
    const at = from + match.index + match[0].length;
    if (at === 0 || at >= text.length) continue;
    if (best === undefined || Math.abs(at - text.length / 2) < Math.abs(best - text.length / 2)) best = at;
  }
  return best;
}

/** Neighbours are joined as long as they fit. */
function fill(pieces: readonly Piece[], budget: number, between = '\n'): Piece[] {
  const filled: Piece[] = [];
  for (const piece of pieces) {
    const last = filled.at(-1);
    if (last && last.tokens + piece.tokens <= budget) {
      last.text += (piece.startLine > last.endLine + 1 ? '\n\n' : between) + piece.text;
      last.endLine = piece.endLine;
      last.tokens += piece.tokens;
    } else filled.push({ ...piece });
  }
  return filled;
}
