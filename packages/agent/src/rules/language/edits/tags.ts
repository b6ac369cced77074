import type { Rule } from '../listening.ts';
import { edit, tagsIn } from './order.ts';

export const TAGS: Rule[] = [
  {
    pattern: /^(?:tags?|labels?): #?(?<v>[\w#, -]+)$/i,
    means: ({ v = '' }, hearing) => edit('it', { addTags: tagsIn(v) }, hearing),
  },
  {
    pattern: /^(?:tag|label|categori[sz]e|file) (?<t>.+?) (?:as|with|under|in|to)(?: the)?(?: (?:tags?|labels?|category))? #?(?<v>[^?]+)$/i,
    means: ({ t = '', v = '' }, hearing) => (hearing.wish ? undefined : edit(t, { addTags: tagsIn(v) }, hearing)),
  },
  {
    pattern: /^(?:tag|label) (?<t>it|that|this|them|those|these|the \w+(?: one)?) #?(?<v>[\w-]+)$/i,
    means: ({ t = '', v = '' }, hearing) => edit(t, { addTags: tagsIn(v) }, hearing),
  },
  {
    pattern:
      /^(?:add|put|give|attach|apply|set) (?:the |a )?(?:tags?|labels?) #?(?<v>.+?) (?:to|on|for) (?<t>.+)$|^(?:add|put|attach|apply) (?:the |a |an )?#?(?<w>[\w-]+) (?:tag|label) (?:to|on|for) (?<u>.+)$|^add #(?<x>[\w-]+) to (?<y>.+)$|^give (?<z>.+?) (?:the |a )?(?:tag|label) #?(?<q>[\w-]+)$/i,
    means: ({ t = '', v = '', w = '', u = '', x = '', y = '', z = '', q = '' }, hearing) =>
      edit(t || u || y || z, { addTags: tagsIn(v || w || x || q) }, hearing),
  },
  {
    pattern:
      /^(?:untag|unlabel) (?<t>.+?) (?:as|with|from) #?(?<v>.+)$|^(?:remove|delete|drop|take(?: off)?) (?:the )?(?:tags?|labels?) #?(?<w>.+?) (?:from|off|of) (?<u>.+)$|^(?:remove|delete|drop|take) (?:the )?#?(?<x>[\w-]+) (?:tag|label) (?:from|off|of) (?<y>.+)$|^remove #(?<z>[\w-]+) from (?<q>.+)$/i,
    means: ({ t = '', v = '', w = '', u = '', x = '', y = '', z = '', q = '' }, hearing) =>
      edit(t || u || y || q, { removeTags: tagsIn(v || w || x || z) }, hearing),
  },
  {
    pattern: /^(?:untag|unlabel|remove (?:all )?(?:the )?(?:tags|labels) (?:from|of|on)) (?<t>.+)$/i,
    means: ({ t = '' }, hearing) => edit(t, { removeTags: ['*'] }, hearing),
  },
];
