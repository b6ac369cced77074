import type { Rule } from '../listening.ts';
import { detailsIn, newTodo } from '../titles.ts';
import { edit, value } from './order.ts';

const NOTE = '(?:notes?|descriptions?|details?|comments?)';

export const NOTES: Rule[] = [
  {
    pattern: /^add to (?!the (?:notes?|descriptions?|details?|comments?)\b)(?<t>[^:]+): (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => {
      const intent = edit(t, { note: value(v, hearing) }, hearing);
      return intent.kind === 'change' && !/\blist\b/i.test(t)
        ? { ...intent, exactly: true, otherwise: { todos: [newTodo(detailsIn(`${t}: ${v}`, hearing))], clear: true } }
        : undefined;
    },
  },
  {
    pattern: new RegExp(`^(?:add|append|attach|write) to (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?): (?<v>.+)$`, 'i'),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:(?:with|and)(?: a| the)? )?(?:${NOTE})(?:: ?| saying | that says )(?<v>.+)$`, 'i'),
    means: ({ v = '' }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|put|attach|leave|write|append) (?:a |the |this )?${NOTE}(?:: ?| (?:that says|saying|reading|that) )(?<v>.+)$`,
      'i',
    ),
    means: ({ v = '' }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:set|change|update|make) (?:the |its )?(?<f>title|name|text|${NOTE}) (?:to|as|:|be|say) ?(?<v>.+)$`, 'i'),
    means: ({ f = '', v = '' }, hearing) =>
      edit('it', /^(?:title|name|text)$/i.test(f) ? { title: value(v, hearing) } : { description: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|put|attach|write|leave|append|include) (?:a |the |this |some |another )?${NOTE} (?:to|on|for|in|with) (?<t>.+?)(?: ?: ?| ?- | that says | saying | that | reading | which says |, )(?<v>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|append|put|attach|include|write) (?<v>.+?) (?:to|in|into|as|on) (?:the |a )?${NOTE} (?:of|for|on|to|in|from) (?<t>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v.replace(/^the /i, ''), hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|edit|make|replace) (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?) (?:to|as|with|to say)(?: say)?:? (?<v>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { description: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|edit) (?<t>.+?)'s ${NOTE} to:? (?<v>.+)$|^(?:${NOTE}) (?:on|for|to) (?!self)(?<o>.+?): (?<w>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '', o = '', w = '' }, hearing) => edit(t || o, { description: value(v || w, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:remove|delete|clear|drop|erase|get rid of) (?:the )?${NOTE} (?:from|of|for|on) (?<t>.+)$`, 'i'),
    means: ({ t = '' }, hearing) => edit(t, { description: '' }, hearing),
  },
];
