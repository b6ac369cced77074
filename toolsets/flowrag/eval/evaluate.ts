import type { Progress } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import type { KnowledgeStore, SearchMode } from '../ports.ts';
import { rankByWords, search } from '../retrieval/search.ts';
import { goldMatches } from './gold.ts';
import { type Measures, mean, measure } from './measures.ts';
import type { EvalQuestion } from './questions.ts';

export { type EvalQuestion, readQuestions } from './questions.ts';

export const EVAL_MODES = ['bm25', 'naive', 'local', 'global', 'hybrid'] as const;
/** `bm25` is the baseline: words alone. */
export type EvalMode = (typeof EVAL_MODES)[number];

export interface EvalReport {
  questions: number;
  limit: number;
  modes: { mode: EvalMode; measures: Measures; milliseconds: number }[];
  /** Questions none of whose gold documents is in the collection under the name given. */
  unmatched: { line: number; gold: string[] }[];
}

export interface EvalOptions {
  store: KnowledgeStore;
  embedder: Embedder;
  questions: readonly EvalQuestion[];
  modes?: readonly EvalMode[];
  limit?: number;
  signal?: AbortSignal;
  progress?: Progress;
}

/** Asks every question in every mode and measures how well the documents of its answer are found. */
export async function evaluate({
  store,
  embedder,
  questions,
  modes = EVAL_MODES,
  limit = 10,
  signal,
  progress,
}: EvalOptions): Promise<EvalReport> {
  const report: EvalReport = { questions: questions.length, limit, modes: [], unmatched: [] };
  const everFound = new Set<EvalQuestion>();
  let done = 0;
  for (const mode of modes) {
    const measured: Measures[] = [];
    const started = performance.now();
    for (const question of questions) {
      signal?.throwIfAborted();
      const documents = await rankDocuments(store, embedder, mode, question.query, limit, signal);
      const found = documents.map((document) => goldMatches(document, question.gold));
      if (found.some((entries) => entries.length > 0)) everFound.add(question);
      measured.push(measure(found, question.gold.length, limit));
      progress?.(++done, questions.length * modes.length, mode);
    }
    report.modes.push({ mode, measures: mean(measured), milliseconds: (performance.now() - started) / Math.max(1, questions.length) });
  }
  report.unmatched = questions.filter((question) => !everFound.has(question)).map(({ line, gold }) => ({ line, gold }));
  return report;
}

async function rankDocuments(
  store: KnowledgeStore,
  embedder: Embedder,
  mode: EvalMode,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ path: string; title: string }[]> {
  if (mode === 'bm25') return rankByWords(store, query, limit);
  return search(store, embedder, { query, mode: mode satisfies SearchMode, limit, distinct: 'document', ...(signal && { signal }) });
}

/** The report as a Markdown table, with the gain of hybrid over the better baseline. */
export function evalTable({ questions, limit, modes, unmatched }: EvalReport): string {
  const head = ['mode', `nDCG@${limit}`, `recall@${limit}`, `all-gold@${limit}`, 'ms/question'];
  const rows = modes.map(({ mode, measures, milliseconds }) => [
    mode,
    measures.ndcg.toFixed(3),
    measures.recall.toFixed(3),
    measures.allGold.toFixed(3),
    milliseconds.toFixed(1),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] as string).length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const notes = [`${questions} questions`, ...gain(modes), ...missing(unmatched)];
  return [line(head), rule, ...rows.map(line), '', ...notes].join('\n');
}

function gain(modes: EvalReport['modes']): string[] {
  const of = (wanted: EvalMode) => modes.find(({ mode }) => mode === wanted)?.measures;
  const [hybrid, words, vectors] = [of('hybrid'), of('bm25'), of('naive')];
  if (!hybrid || !words || !vectors) return [];
  const points = (value: (measures: Measures) => number) => {
    const difference = 100 * (value(hybrid) - Math.max(value(words), value(vectors)));
    return `${difference < 0 ? '' : '+'}${difference.toFixed(1)}`;
  };
  return [
    `hybrid over the better of bm25 and naive: nDCG ${points((one) => one.ndcg)} points, all-gold ${points((one) => one.allGold)} points`,
  ];
}

function missing(unmatched: EvalReport['unmatched']): string[] {
  const [first] = unmatched;
  if (!first) return [];
  const named = first.gold.map((entry) => `"${entry.slice(0, 80)}"`).join(', ');
  return [
    `${unmatched.length} questions found none of their gold documents, the first at line ${first.line} (${named}): check that the names match paths or titles`,
  ];
}
