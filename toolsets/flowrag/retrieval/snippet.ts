import { stemOf } from './question.ts';

const LONGEST = 320;
const CHARACTERS_A_TOKEN = 4;

/** The part of a text where most words of the question stand, in one line. */
export function snippetOf(text: string, stems: ReadonlySet<string>): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= LONGEST) return flat;
  const start = bestStart(flat, stems);
  const from = start === 0 ? 0 : flat.indexOf(' ', start) + 1;
  const to = from + LONGEST >= flat.length ? flat.length : Math.max(from + 1, flat.lastIndexOf(' ', from + LONGEST));
  return `${from > 0 ? '… ' : ''}${flat.slice(from, to)}${to < flat.length ? ' …' : ''}`;
}

/** Where to begin so that the window holds the most different words of the question. */
function bestStart(text: string, stems: ReadonlySet<string>): number {
  const hits = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    .map((match) => ({ at: match.index, stem: stemOf(match[0].toLowerCase()) }))
    .filter(({ stem }) => stems.has(stem));
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of hits.entries()) {
    const inside = hits.slice(index).filter((hit) => hit.at < at + LONGEST - LONGEST / 4);
    const count = new Set(inside.map((hit) => hit.stem)).size;
    if (count > best.count) best = { at, count };
  }
  return Math.max(0, best.at - LONGEST / 4);
}

/** An estimate that needs no model: English has about four characters a token. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}
