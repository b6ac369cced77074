import { posix } from 'node:path';
import { Failure, type Progress } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import { z } from 'zod';
import { plainName } from '../names/titles.ts';
import { rankByWords, search } from '../retrieval/search.ts';
import type { Collection } from '../store/collection.ts';

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
  store: Collection;
  embedder: Embedder;
  questions: readonly EvalQuestion[];
  modes?: readonly EvalMode[];
  limit?: number;
  signal?: AbortSignal;
  progress?: Progress;
}

/** Asks every question in every mode and measures how well the documents of its answer are found. */
export async function evaluate({ questions, modes = EVAL_MODES, limit = 10, progress, ...options }: EvalOptions): Promise<EvalReport> {
  const report: EvalReport = { questions: questions.length, limit, modes: [], unmatched: [] };
  const everFound = new Set<EvalQuestion>();
  let done = 0;
  for (const mode of modes) {
    const measured: Measures[] = [];
    const started = performance.now();
    for (const question of questions) {
      options.signal?.throwIfAborted();
      const documents = await rankDocuments(options, mode, question.query, limit);
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

type Subject = Pick<EvalOptions, 'store' | 'embedder' | 'signal'>;

async function rankDocuments({ store, embedder, signal }: Subject, mode: EvalMode, query: string, limit: number): Promise<Named[]> {
  if (mode === 'bm25') return rankByWords(store, query, limit);
  return search(store, embedder, { query, mode, limit, distinct: 'document', ...(signal && { signal }) });
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
  const columns = head.map((title, column) => ({
    width: Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
    isText: column === 0,
  }));
  const line = (cells: readonly string[]) =>
    `| ${columns.map(({ width, isText }, column) => (isText ? cells[column]?.padEnd(width) : cells[column]?.padStart(width))).join(' | ')} |`;
  const rule = `|${columns.map(({ width, isText }) => '-'.repeat(width + 1) + (isText ? '-' : ':')).join('|')}|`;
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

interface Named {
  path: string;
  title: string;
}

/** Which gold entries a document answers to: by its path, the end of its path, its file name or its title. */
export function goldMatches({ path, title }: Named, gold: readonly string[]): number[] {
  const base = posix.basename(path);
  const names = new Set([path, base, withoutExtension(base), withoutExtension(path)].map((name) => name.toLowerCase()));
  const plain = new Set([plainName(title), plainName(withoutExtension(base))]);
  return gold.flatMap((entry, index) => {
    const wanted = entry
      .replaceAll('\\', '/')
      .replace(/^\.?\//, '')
      .toLowerCase();
    const matches = names.has(wanted) || (wanted.includes('/') && path.toLowerCase().endsWith(`/${wanted}`)) || plain.has(plainName(entry));
    return matches ? [index] : [];
  });
}

function withoutExtension(name: string): string {
  return name.replace(/(.)\.[^./]+$/, '$1');
}

export interface Measures {
  /** Normalised discounted cumulative gain: how high the gold documents stand. */
  ndcg: number;
  /** The share of gold documents found. */
  recall: number;
  /** 1 where all gold documents were found. */
  allGold: number;
}

/** `found[rank]` says which gold documents (by number) the document at that rank is; one document may be several of them. */
export function measure(found: readonly (readonly number[])[], gold: number, limit: number): Measures {
  const seen = new Set<number>();
  let gain = 0;
  for (const [rank, entries] of found.slice(0, limit).entries()) {
    const fresh = entries.filter((entry) => !seen.has(entry));
    if (fresh.length > 0) gain += 1 / Math.log2(rank + 2);
    for (const entry of fresh) seen.add(entry);
  }
  let ideal = 0;
  for (let rank = 0; rank < Math.min(gold, limit); rank++) ideal += 1 / Math.log2(rank + 2);
  return { ndcg: gain / ideal, recall: seen.size / gold, allGold: seen.size === gold ? 1 : 0 };
}

export function mean(all: readonly Measures[]): Measures {
  const average = (value: (measures: Measures) => number) =>
    all.reduce((sum, measures) => sum + value(measures), 0) / Math.max(1, all.length);
  return { ndcg: average((one) => one.ndcg), recall: average((one) => one.recall), allGold: average((one) => one.allGold) };
}

/** A question and the documents that its answer needs. */
export interface EvalQuestion {
  query: string;
  /** Paths, file names or titles, as the file gives them. */
  gold: string[];
  line: number;
}

const QUERY_FIELDS = ['question', 'query', 'q', 'text'] as const;
const GOLD_FIELDS = ['gold', 'relevant', 'documents', 'supporting', 'supporting_facts', 'docs', 'titles', 'paths'] as const;

/** What a gold document may look like: its name, [name, sentence] as some public sets have it, or an object that names it. */
const goldEntry = z.union([
  z.string().trim().min(1),
  z.number().transform(String),
  z.tuple([z.string().min(1)], z.unknown()).transform(([name]) => name),
  z
    .looseObject({ path: z.string().optional(), title: z.string().optional(), id: z.union([z.string(), z.number()]).optional() })
    .transform((entry, context) => {
      const name = entry.path ?? entry.title ?? (entry.id === undefined ? undefined : String(entry.id));
      if (name) return name;
      context.addIssue('an object needs path, title or id');
      return z.NEVER;
    }),
]);
const goldList = z.array(goldEntry).min(1);

/** One question a line as JSON; empty lines and lines that begin with // or # are passed over. */
export function readQuestions(text: string, file: string): EvalQuestion[] {
  const questions: EvalQuestion[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const source = raw.trim();
    if (source && !/^(?:\/\/|#)/.test(source)) questions.push(readQuestion(source, `${file}, line ${index + 1}`, index + 1));
  }
  if (questions.length === 0) throw wrong(`${file} has no questions`);
  return questions;
}

function readQuestion(source: string, where: string, line: number): EvalQuestion {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw wrong(`${where}: this is not JSON`, error);
  }
  const record = z.record(z.string(), z.unknown()).safeParse(value).data;
  if (!record) throw wrong(`${where}: an object is needed`);
  const queryField = QUERY_FIELDS.find((field) => record[field] !== undefined);
  const query = queryField && record[queryField];
  if (typeof query !== 'string' || query.trim() === '') throw wrong(`${where}: ${queryField ?? 'question'} must be a text`);
  const goldField = GOLD_FIELDS.find((field) => record[field] !== undefined);
  if (!goldField) throw wrong(`${where}: gold is missing; it lists the documents that the answer needs`);
  const given = record[goldField];
  const gold = goldList.safeParse(typeof given === 'string' ? [given] : given);
  if (!gold.success) throw wrong(`${where}: ${goldField} must be a list of paths, titles or ids`);
  return { query, gold: [...new Set(gold.data)], line };
}

function wrong(message: string, cause?: unknown): Failure {
  return new Failure('invalid_input', message, {
    fix: {
      instruction: 'Write one question a line as JSON',
      example: { question: 'Who directed the film that won in 1994?', gold: ['films/winner.md', 'Director Name'] },
    },
    ...(cause !== undefined && { cause }),
  });
}
