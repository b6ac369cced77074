import type { Intent } from '../../intents.ts';
import { wholeMoment } from '../dates.ts';
import type { Hearing, Rule } from '../listening.ts';
import { edit, renamed, value } from './order.ts';

/** "almond milk, not oat milk": other words in the title that has the old ones. */
function replaced(from: string, to: string, hearing: Hearing): Intent | undefined {
  const old = hearing.quotes.show(from).replace(/^(?:the|an?) /i, '');
  const words = hearing.quotes.show(to).replace(/^(?:the|an?) /i, '');
  if (/^\d/.test(old) || wholeMoment(old, hearing.now) || wholeMoment(words, hearing.now)) return undefined;
  return edit(from, { replace: { from: old, to: words } }, hearing);
}

export const RENAMES: Rule[] = [
  {
    pattern: /^(?<t>(?!it\b|that\b|this\b).+?) should be (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => {
      const last = t.split(' ').at(-1)?.toLowerCase() ?? '';
      return v.toLowerCase().split(' ').includes(last) && v.length > t.length ? renamed(t, v, hearing) : undefined;
    },
  },
  {
    pattern:
      /^(?:no,? )?(?:it|that|this)(?: should (?:be|say|read|have been|have said)|'s| is| was(?: meant to be| supposed to be)?) (?<v>.+?)(?:,? (?:and )?not|,? instead of|,? rather than) (?<t>.+)$|^(?<w>[^,]+?)(?:,? instead of|, not|,? rather than) (?<u>[^,]+)$/i,
    means: ({ t = '', v = '', u = '', w = '' }, hearing) =>
      hearing.wish || /^(?:add|create|put|remind|i|we|mark|delete|remove|move|change|make|set|show|it|do)\b/i.test(w)
        ? undefined
        : replaced(t || u, v || w, hearing),
  },
  {
    pattern:
      /^(?<x>(?!it\b|that\b|this\b)[^,]+?)(?: is|'s| should be| was)(?: actually| meant to be)? (?:with |for |to |at |in |about |called )?(?<v>[^,]+?),? (?:and )?not (?:with |for |to |at |in )?(?<t>[^,]+)$/i,
    means: ({ x = '', v = '', t = '' }, hearing) => {
      if (hearing.wish || /^(?:what|who|when|where|why|how|which|there)\b/i.test(x) || /^\d/.test(t) || wholeMoment(t, hearing.now))
        return undefined;
      const inside = edit(x, { replace: { from: hearing.quotes.show(t), to: hearing.quotes.show(v) } }, hearing);
      const unsaid = edit(x, {}, hearing);
      return inside.kind === 'change' && unsaid.kind === 'change' ? { ...inside, fallback: unsaid } : undefined;
    },
  },
  {
    pattern: /^(?:change|replace|swap|switch|correct) (?<t>.+?) (?:to|with|for|by) (?<v>.+?) (?:in|on) (?<x>.+)$/i,
    means: ({ t = '', v = '', x = '' }, hearing) => {
      if (hearing.wish || wholeMoment(v, hearing.now) || wholeMoment(x, hearing.now)) return undefined;
      const inside = edit(x, { replace: { from: hearing.quotes.show(t), to: hearing.quotes.show(v) } }, hearing);
      const whole = renamed(t, `${v} in ${x}`, hearing);
      return inside.kind === 'change' && whole.kind === 'change' ? { ...inside, fallback: whole } : undefined;
    },
  },
  {
    pattern: /^(?:rename|retitle)(?: it| that| this)?(?: to| as| into) (?<v>.+)$/i,
    means: ({ v = '' }, hearing) => edit('it', { title: value(v, hearing) }, hearing),
  },
  {
    pattern:
      /^(?:rename|retitle|reword|rephrase)(?: the)?(?: (?:title|name) of)? (?<t>.+?) (?:to|as|into|=>|->|with)(?: be| say| read)? (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern:
      /^(?:change|edit|update|set|modify|correct|fix|make) (?:the )?(?:title|name|text|wording) (?:of|for|on) (?<t>.+?) (?:to|into|as|be|say)(?: say| read| be)? (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:change|set|edit|update) (?<t>.+?)(?:'s)? (?:title|name|text|wording) (?:to|into|as) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:call|name) (?<t>it|that|this|that one|this one|the (?:\w+ )?(?:one|todo|task)) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?<t>.+?) should (?:be called|be named|say|read|have been|be renamed to) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:replace|swap) (?<t>.+?) (?:with|for|by) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => (hearing.wish ? undefined : renamed(t, v, hearing)),
  },
];
