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

/** A pattern and what it means. Undefined if it does not apply after all. */
export interface Rule {
  pattern: RegExp;
  means(groups: Record<string, string>, hearing: Hearing): Intent | undefined;
}

export function firstMeaning(rules: readonly Rule[], clause: string, hearing: Hearing): Intent | undefined {
  for (const { pattern, means } of rules) {
    const match = pattern.exec(clause);
    if (!match) continue;
    const groups = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, value?.trim() ?? '']));
    const intent = means(groups, hearing);
    if (intent) return intent;
  }
  return undefined;
}
