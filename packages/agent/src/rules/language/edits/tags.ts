import { rules } from '../listening.ts';
import { edit, tagsIn } from './order.ts';

export const TAGS = rules([
  [/^(?:tags?|labels?): #?(?<v>[\w#, -]+)$/i, ({ v }, hearing) => edit('it', { addTags: tagsIn(v) }, hearing)],
  [
    /^(?:tag|label|categori[sz]e|file) (?<t>.+?) (?:as|with|under|in|to)(?: the)?(?: (?:tags?|labels?|category))? #?(?<v>[^?]+)$/i,
    ({ t, v }, hearing) => (hearing.wish ? undefined : edit(t, { addTags: tagsIn(v) }, hearing)),
  ],
  [
    /^(?:tag|label) (?<t>it|that|this|them|those|these|the \w+(?: one)?) #?(?<v>[\w-]+)$/i,
    ({ t, v }, hearing) => edit(t, { addTags: tagsIn(v) }, hearing),
  ],
  [
    /^(?:add|put|give|attach|apply|set) (?:the |a )?(?:tags?|labels?) #?(?<v>.+?) (?:to|on|for) (?<t>.+)$|^(?:add|put|attach|apply) (?:the |a |an )?#?(?<v2>[\w-]+) (?:tag|label) (?:to|on|for) (?<t2>.+)$|^add #(?<v3>[\w-]+) to (?<t3>.+)$|^give (?<t4>.+?) (?:the |a )?(?:tag|label) #?(?<v4>[\w-]+)$/i,
    ({ t, v }, hearing) => edit(t, { addTags: tagsIn(v) }, hearing),
  ],
  [
    /^(?:untag|unlabel) (?<t>.+?) (?:as|with|from) #?(?<v>.+)$|^(?:remove|delete|drop|take(?: off)?) (?:the )?(?:tags?|labels?) #?(?<v2>.+?) (?:from|off|of) (?<t2>.+)$|^(?:remove|delete|drop|take) (?:the )?#?(?<v3>[\w-]+) (?:tag|label) (?:from|off|of) (?<t3>.+)$|^remove #(?<v4>[\w-]+) from (?<t4>.+)$/i,
    ({ t, v }, hearing) => edit(t, { removeTags: tagsIn(v) }, hearing),
  ],
  [
    /^(?:untag|unlabel|remove (?:all )?(?:the )?(?:tags|labels) (?:from|of|on)) (?<t>.+)$/i,
    ({ t }, hearing) => edit(t, { removeTags: ['*'] }, hearing),
  ],
]);
