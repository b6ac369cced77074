import { Failure } from '@millrace/kernel';
import { z } from 'zod';

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
