import type { Priority } from '../../intents.ts';
import { rules } from '../listening.ts';
import { edit, priorityNamed } from './order.ts';

const P = '(?:high|highest|top|urgent|critical|important|low|lowest|minor|unimportant|medium|normal|regular|default|mid)';
const VERY = '(?:(?:very|really|super|more|much|extremely|pretty|quite|so|now|a|an|be|being|the|of) )*';

export const PRIORITIES = rules([
  [
    `^(?:the )?(?:priority|prio):? (?:is |should be |= ?)?${VERY}(?<p>${P})$`,
    ({ p }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    `^(?<t>.+?)(?: is| are|'s)? no longer ${VERY}(?:${P})(?:[- ](?:priority|prio))?$`,
    ({ t }, hearing) => edit(t, { priority: 'medium' }, hearing),
  ],
  [
    `^(?:the )?(?:priority|prio|importance|urgency) (?:of|for) (?<t>.+?) (?:should be|is|must be|needs to be|to)(?: set to)? ${VERY}(?<p>${P})$`,
    ({ t, p }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    `^(?:set|change|make|update|put|raise|lower|switch) (?:the |its |it's )?(?:priority|prio) (?:to|as|=|at|be)? ?${VERY}(?<p>${P})$`,
    ({ p }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    `^(?:set|give|assign|make|put|use|apply) (?:a |the )?(?:priority(?: of| to| as)? (?<p>${P})|(?<p2>${P})[- ]priority) (?:for|on|to) (?<t>.+)$|^(?:give|assign) (?<t2>.+?) (?:a )?(?<p3>${P})[- ]priority$`,
    ({ t, p }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    `^(?:set|change|make|update|put|raise|lower|increase|decrease|bump|switch|adjust) (?:the )?(?:priority|prio|importance|urgency)(?: level)? (?:of|for|on) (?<t>.+?) (?:to|as|=|at|up to|down to|be) ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio))?$`,
    ({ t, p }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    `^(?:make|set|mark|change|flag|put|bump|raise|lower|move|update|give|assign|turn|switch|upgrade|downgrade|treat|list) (?<t>.+?)(?:'s)?(?: (?:priority|prio|importance))?(?: (?:as|to|at|into|up to|down to|with|=|back to|a|on))* ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio|importance))?$`,
    ({ t, p }, hearing) => edit(t.replace(/^priority (?:of )?/i, ''), { priority: priorityNamed(p) as Priority }, hearing),
  ],
  [
    /^(?:prioriti[sz]e|star|flag|pin) (?<t>.+)$|^(?:make|mark|set|give) (?<t2>.+?) (?:as )?(?:a |the |my )?(?:top )?priority$/i,
    ({ t }, hearing) => (hearing.wish ? undefined : edit(t, { priority: 'high' }, hearing)),
  ],
  [/^(?:de-?prioriti[sz]e|unflag|unstar) (?<t>.+)$/i, ({ t }, hearing) => edit(t, { priority: 'low' }, hearing)],
  [
    /^(?:raise|increase|bump up|boost|up|bump|elevate) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^bump (?<t2>.+?) up(?: in priority)?$|^(?:raise|increase|boost|bump up) (?<t3>.+?)(?:'s)? priority$/i,
    ({ t }, hearing) => edit(t, { priorityStep: 1 }, hearing),
  ],
  [
    /^(?:lower|decrease|reduce|drop|bump down) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^(?:lower|decrease|reduce) (?<t3>.+?)(?:'s)? priority$|^bump (?<t2>.+?) down(?: in priority)?$/i,
    ({ t }, hearing) => edit(t, { priorityStep: -1 }, hearing),
  ],
  [
    /^(?<t>.+?)(?: is| are|'s)(?: not|n't)(?: that| so| very| really| all that| as)* (?:urgent|important|critical|a priority)(?: any ?more| after all| now)?$|^(?<t2>.+?) (?:isn't|aren't)(?: that| so| very| really)* (?:urgent|important|critical|a priority)(?: any ?more| after all)?$/i,
    ({ t }, hearing) => edit(t, { priority: 'low' }, hearing),
  ],
  [
    `^(?<t>.+?)(?: is| are|'s| has| have| should be| should have| needs to be| became| gets| just became)(?: now| become)? ${VERY}(?<p>(?:${P})(?:[- ](?:priority|prio|importance))?|a priority)$`,
    ({ t, p }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there)\b/i.test(t) || hearing.wish
        ? undefined
        : edit(t, { priority: priorityNamed(p) ?? 'high' }, hearing),
  ],
  [
    `^(?:with )?${VERY}(?<p>(?:high|low|medium|top|normal)[- ]priority|urgent|important)(?: please)?$`,
    ({ p }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  ],
]);
