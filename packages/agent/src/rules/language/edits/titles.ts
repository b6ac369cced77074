import type { Rule } from '../listening.ts';
import { edit, renamed, value } from './order.ts';

export const RENAMES: Rule[] = [
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
