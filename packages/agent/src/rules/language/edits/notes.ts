import { rules } from '../listening.ts';
import { detailsIn, newTodo } from '../titles.ts';
import { edit, value } from './order.ts';

const NOTE = '(?:notes?|descriptions?|details?|comments?)';

export const NOTES = rules([
  [
    /^add to (?!the (?:notes?|descriptions?|details?|comments?)\b)(?<t>[^:]+): (?<v>.+)$/i,
    ({ t, v }, hearing) => {
      const intent = edit(t, { note: value(v, hearing) }, hearing);
      return intent.kind === 'change' && !/\blist\b/i.test(t)
        ? { ...intent, exactly: true, otherwise: { todos: [newTodo(detailsIn(`${t}: ${v}`, hearing))], clear: true } }
        : undefined;
    },
  ],
  [
    `^(?:add|append|attach|write) to (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?): (?<v>.+)$`,
    ({ t, v }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  ],
  [
    `^(?:(?:with|and)(?: a| the)? )?(?:${NOTE})(?:: ?| saying | that says )(?<v>.+)$`,
    ({ v }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  ],
  [
    `^(?:add|put|attach|leave|write|append) (?:a |the |this )?${NOTE}(?:: ?| (?:that says|saying|reading|that) )(?<v>.+)$`,
    ({ v }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  ],
  [
    `^(?:set|change|update|make) (?:the |its )?(?<f>title|name|text|${NOTE}) (?:to|as|:|be|say) ?(?<v>.+)$`,
    ({ f, v }, hearing) =>
      edit('it', /^(?:title|name|text)$/i.test(f) ? { title: value(v, hearing) } : { description: value(v, hearing) }, hearing),
  ],
  [
    `^(?:add|put|attach|write|leave|append|include) (?:a |the |this |some |another )?${NOTE} (?:to|on|for|in|with) (?<t>.+?)(?: ?: ?| ?- | that says | saying | that | reading | which says |, )(?<v>.+)$`,
    ({ t, v }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  ],
  [
    `^(?:add|append|put|attach|include|write) (?<v>.+?) (?:to|in|into|as|on) (?:the |a )?${NOTE} (?:of|for|on|to|in|from) (?<t>.+)$`,
    ({ t, v }, hearing) => edit(t, { note: value(v.replace(/^the /i, ''), hearing) }, hearing),
  ],
  [
    `^(?:set|change|update|edit|make|replace) (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?) (?:to|as|with|to say)(?: say)?:? (?<v>.+)$`,
    ({ t, v }, hearing) => edit(t, { description: value(v, hearing) }, hearing),
  ],
  [
    `^(?:set|change|update|edit) (?<t>.+?)'s ${NOTE} to:? (?<v>.+)$|^(?:${NOTE}) (?:on|for|to) (?!self)(?<t2>.+?): (?<v2>.+)$`,
    ({ t, v }, hearing) => edit(t, { description: value(v, hearing) }, hearing),
  ],
  [
    `^(?:remove|delete|clear|drop|erase|get rid of) (?:the )?${NOTE} (?:from|of|for|on) (?<t>.+)$`,
    ({ t }, hearing) => edit(t, { description: '' }, hearing),
  ],
]);
