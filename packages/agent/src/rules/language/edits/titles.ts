import type { Intent } from '../../intents.ts';
import { wholeMoment } from '../dates.ts';
import { type Hearing, rules } from '../listening.ts';
import { edit, renamed, value } from './order.ts';

/** "almond milk, not oat milk": other words in the title that has the old ones. */
function replaced(from: string, to: string, hearing: Hearing): Intent | undefined {
  const old = hearing.quotes.show(from).replace(/^(?:the|an?) /i, '');
  const words = hearing.quotes.show(to).replace(/^(?:the|an?) /i, '');
  if (/^\d/.test(old) || wholeMoment(old, hearing.now) || wholeMoment(words, hearing.now)) return undefined;
  return edit(from, { replace: { from: old, to: words } }, hearing);
}

export const RENAMES = rules([
  [
    /^(?<t>(?!it\b|that\b|this\b).+?) should be (?<v>.+)$/i,
    ({ t, v }, hearing) => {
      const last = t.split(' ').at(-1)?.toLowerCase() ?? '';
      return v.toLowerCase().split(' ').includes(last) && v.length > t.length ? renamed(t, v, hearing) : undefined;
    },
  ],
  [
    /^(?:no,? )?(?:it|that|this)(?: should (?:be|say|read|have been|have said)|'s| is| was(?: meant to be| supposed to be)?) (?<v>.+?)(?:,? (?:and )?not|,? instead of|,? rather than) (?<t>.+)$|^(?<w>[^,]+?)(?:,? instead of|, not|,? rather than) (?<t2>[^,]+)$/i,
    ({ t, v, w }, hearing) =>
      hearing.wish || /^(?:add|create|put|remind|i|we|mark|delete|remove|move|change|make|set|show|it|do)\b/i.test(w)
        ? undefined
        : replaced(t, v || w, hearing),
  ],
  [
    /^(?<x>(?!it\b|that\b|this\b)[^,]+?)(?: is|'s| should be| was)(?: actually| meant to be)? (?:with |for |to |at |in |about |called )?(?<v>[^,]+?),? (?:and )?not (?:with |for |to |at |in )?(?<t>[^,]+)$/i,
    ({ x, v, t }, hearing) => {
      if (hearing.wish || /^(?:what|who|when|where|why|how|which|there)\b/i.test(x) || /^\d/.test(t) || wholeMoment(t, hearing.now))
        return undefined;
      const inside = edit(x, { replace: { from: hearing.quotes.show(t), to: hearing.quotes.show(v) } }, hearing);
      const unsaid = edit(x, {}, hearing);
      return inside.kind === 'change' && unsaid.kind === 'change' ? { ...inside, fallback: unsaid } : undefined;
    },
  ],
  [
    /^(?:change|replace|swap|switch|correct) (?<t>.+?) (?:to|with|for|by) (?<v>.+?) (?:in|on) (?<x>.+)$/i,
    ({ t, v, x }, hearing) => {
      if (hearing.wish || wholeMoment(v, hearing.now) || wholeMoment(x, hearing.now)) return undefined;
      const inside = edit(x, { replace: { from: hearing.quotes.show(t), to: hearing.quotes.show(v) } }, hearing);
      const whole = renamed(t, `${v} in ${x}`, hearing);
      return inside.kind === 'change' && whole.kind === 'change' ? { ...inside, fallback: whole } : undefined;
    },
  ],
  [
    /^(?:rename|retitle)(?: it| that| this)?(?: to| as| into) (?<v>.+)$/i,
    ({ v }, hearing) => edit('it', { title: value(v, hearing) }, hearing),
  ],
  [
    /^(?:rename|retitle|reword|rephrase)(?: the)?(?: (?:title|name) of)? (?<t>.+?) (?:to|as|into|=>|->|with)(?: be| say| read)? (?<v>.+)$/i,
    ({ t, v }, hearing) => renamed(t, v, hearing),
  ],
  [
    /^(?:change|edit|update|set|modify|correct|fix|make) (?:the )?(?:title|name|text|wording) (?:of|for|on) (?<t>.+?) (?:to|into|as|be|say)(?: say| read| be)? (?<v>.+)$/i,
    ({ t, v }, hearing) => renamed(t, v, hearing),
  ],
  [
    /^(?:change|set|edit|update) (?<t>.+?)(?:'s)? (?:title|name|text|wording) (?:to|into|as) (?<v>.+)$/i,
    ({ t, v }, hearing) => renamed(t, v, hearing),
  ],
  [
    /^(?:call|name) (?<t>it|that|this|that one|this one|the (?:\w+ )?(?:one|todo|task)) (?<v>.+)$/i,
    ({ t, v }, hearing) => renamed(t, v, hearing),
  ],
  [/^(?<t>.+?) should (?:be called|be named|say|read|have been|be renamed to) (?<v>.+)$/i, ({ t, v }, hearing) => renamed(t, v, hearing)],
  [/^(?:replace|swap) (?<t>.+?) (?:with|for|by) (?<v>.+)$/i, ({ t, v }, hearing) => (hearing.wish ? undefined : renamed(t, v, hearing))],
]);
