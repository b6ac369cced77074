import type { Intent } from '../intents.ts';
import type { Now } from './calendar.ts';
import type { Quotes } from './text.ts';

/** What is known while a clause is read. */
export interface Hearing {
  quotes: Quotes;
  now: Now;
  /** Phrased as a wish ("I need to …"): verbs that could also name a todo do not count as orders. */
  wish: boolean;
}

/** The parts that the patterns name: `t` is the todo that is meant, `v` its new value, `d` a date. */
type Part =
  | 't'
  | 'v'
  | 'd'
  | 'f'
  | 'n'
  | 'p'
  | 'q'
  | 'u'
  | 'w'
  | 'x'
  | 'kind'
  | 'noun'
  | 'list'
  | 'what'
  | 'day'
  | 'rest'
  | 'tail'
  | 'other';
export type Means = (said: Readonly<Record<Part, string>>, hearing: Hearing) => Intent | undefined;

export interface Rule {
  pattern: RegExp;
  means: Means;
}

/** What is meant by each pattern, in any case of letters; undefined if it does not apply after all. The first that fits counts. */
export function rules(table: readonly (readonly [means: Means, ...patterns: (RegExp | string)[]])[]): Rule[] {
  return table.flatMap(([means, ...patterns]) => patterns.map((pattern) => ({ pattern: new RegExp(pattern, 'i'), means })));
}

export function firstMeaning(table: readonly Rule[], clause: string, hearing: Hearing): Intent | undefined {
  for (const { pattern, means } of table) {
    const match = pattern.exec(clause);
    const intent = match && means(partsOf(match), hearing);
    if (intent) return intent;
  }
  return undefined;
}

/** A part that is missing is empty; `t2` and `t3` are further places for `t`. */
function partsOf({ groups = {} }: RegExpExecArray): Record<Part, string> {
  const parts: Record<string, string> = {};
  for (const [place, words = ''] of Object.entries(groups)) parts[place.replace(/\d$/, '')] ||= words.trim();
  return parts as Record<Part, string>;
}
