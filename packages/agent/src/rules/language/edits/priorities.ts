import type { Priority } from '../../intents.ts';
import type { Rule } from '../listening.ts';
import { edit, priorityNamed } from './order.ts';

const P = '(?:high|highest|top|urgent|critical|important|low|lowest|minor|unimportant|medium|normal|regular|default|mid)';
const VERY = '(?:(?:very|really|super|more|much|extremely|pretty|quite|so|now|a|an|be|being|the|of) )*';

export const PRIORITIES: Rule[] = [
  {
    pattern: new RegExp(`^(?:the )?(?:priority|prio):? (?:is |should be |= ?)?${VERY}(?<p>${P})$`, 'i'),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(`^(?<t>.+?)(?: is| are|'s)? no longer ${VERY}(?:${P})(?:[- ](?:priority|prio))?$`, 'i'),
    means: ({ t = '' }, hearing) => edit(t, { priority: 'medium' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:the )?(?:priority|prio|importance|urgency) (?:of|for) (?<t>.+?) (?:should be|is|must be|needs to be|to)(?: set to)? ${VERY}(?<p>${P})$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|make|update|put|raise|lower|switch) (?:the |its |it's )?(?:priority|prio) (?:to|as|=|at|be)? ?${VERY}(?<p>${P})$`,
      'i',
    ),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|give|assign|make|put|use|apply) (?:a |the )?(?:priority(?: of| to| as)? (?<p>${P})|(?<q>${P})[- ]priority) (?:for|on|to) (?<t>.+)$|^(?:give|assign) (?<u>.+?) (?:a )?(?<r>${P})[- ]priority$`,
      'i',
    ),
    means: ({ t = '', u = '', p = '', q = '', r = '' }, hearing) =>
      edit(t || u, { priority: priorityNamed(p || q || r) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|make|update|put|raise|lower|increase|decrease|bump|switch|adjust) (?:the )?(?:priority|prio|importance|urgency)(?: level)? (?:of|for|on) (?<t>.+?) (?:to|as|=|at|up to|down to|be) ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio))?$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:make|set|mark|change|flag|put|bump|raise|lower|move|update|give|assign|turn|switch|upgrade|downgrade|treat|list) (?<t>.+?)(?:'s)?(?: (?:priority|prio|importance))?(?: (?:as|to|at|into|up to|down to|with|=|back to|a|on))* ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio|importance))?$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t.replace(/^priority (?:of )?/i, ''), { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: /^(?:prioriti[sz]e|star|flag|pin) (?<t>.+)$|^(?:make|mark|set|give) (?<u>.+?) (?:as )?(?:a |the |my )?(?:top )?priority$/i,
    means: ({ t = '', u = '' }, hearing) => (hearing.wish ? undefined : edit(t || u, { priority: 'high' }, hearing)),
  },
  {
    pattern: /^(?:de-?prioriti[sz]e|unflag|unstar) (?<t>.+)$/i,
    means: ({ t = '' }, hearing) => edit(t, { priority: 'low' }, hearing),
  },
  {
    pattern:
      /^(?:raise|increase|bump up|boost|up|bump|elevate) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^bump (?<u>.+?) up(?: in priority)?$|^(?:raise|increase|boost|bump up) (?<w>.+?)(?:'s)? priority$/i,
    means: ({ t = '', u = '', w = '' }, hearing) => edit(t || u || w, { priorityStep: 1 }, hearing),
  },
  {
    pattern:
      /^(?:lower|decrease|reduce|drop|bump down) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^(?:lower|decrease|reduce) (?<w>.+?)(?:'s)? priority$|^bump (?<u>.+?) down(?: in priority)?$/i,
    means: ({ t = '', u = '', w = '' }, hearing) => edit(t || u || w, { priorityStep: -1 }, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: is| are|'s)(?: not|n't)(?: that| so| very| really| all that| as)* (?:urgent|important|critical|a priority)(?: any ?more| after all| now)?$|^(?<u>.+?) (?:isn't|aren't)(?: that| so| very| really)* (?:urgent|important|critical|a priority)(?: any ?more| after all)?$/i,
    means: ({ t = '', u = '' }, hearing) => edit(t || u, { priority: 'low' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?<t>.+?)(?: is| are|'s| has| have| should be| should have| needs to be| became| gets| just became)(?: now| become)? ${VERY}(?<p>(?:${P})(?:[- ](?:priority|prio|importance))?|a priority)$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there)\b/i.test(t) || hearing.wish
        ? undefined
        : edit(t, { priority: priorityNamed(p) ?? 'high' }, hearing),
  },
  {
    pattern: new RegExp(`^(?:with )?${VERY}(?<p>(?:high|low|medium|top|normal)[- ]priority|urgent|important)(?: please)?$`, 'i'),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
];
