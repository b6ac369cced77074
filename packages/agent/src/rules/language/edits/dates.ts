import { COUNT, countOf } from '../days.ts';
import type { Rule } from '../listening.ts';
import { edit, moved } from './order.ts';

const UNITS = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)';
const COUNTS = `(?:${COUNT}|another)`;
const DUE = '(?:due dates?|deadlines?|due|dates?)';

/** "add a deadline", "set the due date": also after words that otherwise begin a new todo. */
export const ADDED_DATES: Rule[] = [
  {
    pattern: new RegExp(
      `^(?:remove|delete|clear|drop|take away|unset|get rid of|cancel) (?:the )?${DUE} (?:from|of|for|on|off) (?<t>.+)$|^(?<u>.+?) (?:has|have|needs) no (?:due date|deadline)(?: any ?more)?$|^(?:make|set) (?<w>.+?) (?:not due|due never|have no (?:due date|deadline))$|^(?:remove|delete|clear|drop) (?<x>.+?)'s ${DUE}$`,
      'i',
    ),
    means: ({ t = '', u = '', w = '', x = '' }, hearing) => edit(t || u || w || x, { due: 'none' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|make|move|adjust|push|extend|add|put) (?:a |the |its )?${DUE} (?:to|as|on|for|of|until|be|:) ?(?<d>.+)$`,
      'i',
    ),
    means: ({ d = '' }, hearing) => moved('it', d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|make|move|edit|adjust|give|add|put|assign|push|extend) (?:a |the |its )?${DUE} (?:of|for|on|to) (?<t>.+?)(?: (?:to|as|on|for|=|of|until|back to|is|be)| ?:) ?(?<d>.+)$`,
      'i',
    ),
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|give|set|put) (?:a )?${DUE} (?:of |for |on )?(?<d>.+?) (?:to|for|on) (?<t>.+)$|^(?:give|set|assign) (?<u>.+?) (?:a )?(?:due date|deadline) (?:of |for |on |to )?(?<e>.+)$`,
      'i',
    ),
    means: ({ t = '', d = '', u = '', e = '' }, hearing) => moved(t || u, d || e, hearing),
  },
];

export const DATES: Rule[] = [
  {
    pattern: /^(?:schedule|plan|pencil in) (?<t>.+?)(?: in)? (?:for|on|at) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => {
      const intent = hearing.wish ? undefined : moved(t, d, hearing, true);
      return intent?.kind === 'change' && intent.otherwise
        ? { ...intent, exactly: true, otherwise: { ...intent.otherwise, clear: true } }
        : undefined;
    },
  },
  {
    pattern:
      /^(?:no|without a) (?:due date|deadline) (?:for|on) (?<t>.+)$|^(?:take|drop|remove) (?:the )?(?:due date|deadline|date) off (?:of )?(?<u>.+)$/i,
    means: ({ t = '', u = '' }, hearing) => edit(t || u, { due: 'none' }, hearing),
  },
  {
    pattern: /^(?<t>.+?) (?:needs|gets|has|should have|must have) (?:a |an )?(?:due date|deadline) (?:of |on |by |for )?(?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern:
      /^(?:set|make|change|mark|update|have|get|move) (?<t>.+?)(?:'s)? (?:a |the )?(?:to be |as |to )?(?:due date|deadline|due)(?: (?:to|of|on|for|as|by|at|date|is))* (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:postpone|push(?: back| off| out)?|delay|defer|move|shift|snooze|extend|bump|put off|set back|hold off on) (?<t>.+?)(?: back| forward| out| off)?(?: by| for)? (?<n>${COUNTS})(?: more)? (?<u>${UNITS})(?: later| out| more)?$|^(?:make|do|start|have|bring|move|shift|push|schedule) (?<x>.+?)(?: forward| up)?(?: by)? (?<m>${COUNTS}) (?<v>${UNITS}) (?<w>later|earlier|sooner|ahead)$`,
      'i',
    ),
    means: ({ t = '', n = '', u = '', x = '', m = '', v = '', w = '' }, hearing) => {
      const count = n || m;
      const amount = (count === 'another' ? 1 : countOf(count)) * (/^(?:earlier|sooner|ahead)$/i.test(w) ? -1 : 1);
      return hearing.wish ? undefined : edit(t || x, { shift: { amount, unit: u || v } }, hearing);
    },
  },
  {
    pattern:
      /^(?:move|postpone|push(?: back| off| out)?|delay|defer|reschedule|re-schedule|shift|bump|snooze|put off|put|bring forward|pull|advance|extend|set|hold off on|make|switch|change|carry over|roll over) (?<t>.+?)(?: back| forward| off| out| up| over| ahead)? (?:to|until|till|for|on|by|at|from \S+ to) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => (hearing.wish ? undefined : moved(t, d, hearing)),
  },
  {
    pattern:
      /^(?:move|make|push|change|postpone|reschedule|delay|bump) (?<t>it|that|this|that one|this one|them|the (?:\w+ ){1,3}(?:one|todo|task)) (?:to )?(?:be )?(?:due )?(?<d>.+?)(?: instead)?$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: is| are|'s| should be| needs to be| has to be| must be| have to be| need to be| was)(?: now| actually| not due until)? ?(?:due|done|finished|completed|ready|in|not due until|for|on|at)(?: on| by| at| before| until)? (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there|it's|nothing|anything)\b/i.test(t) ? undefined : moved(t, d, hearing, true),
  },
  {
    pattern:
      /^(?<t>.+?)(?:'s)? (?:due date|deadline)(?: should be| is| must be| needs to be| has to be)(?: now| on)? (?<d>.+)$|^the (?:due date|deadline) (?:of|for) (?<u>.+?) (?:should be|is|must be|needs to be)(?: now| on)? (?<e>.+)$/i,
    means: ({ t = '', d = '', u = '', e = '' }, hearing) =>
      /^(?:what|when|which|who|how)\b/i.test(t) ? undefined : moved(t.replace(/^(?:the|its?)$/i, 'it') || u, d || e, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: has| have| is| are| was| got| been|'s|'s been)* (?:moved|pushed|postponed|rescheduled|delayed|shifted|changed|put|brought|bumped|switched)(?: back| out| off| forward| up)? (?:to|until|till|for) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => (/^(?:i|we|you)$/i.test(t) ? undefined : moved(t, d, hearing)),
  },
  {
    pattern:
      /^(?:they|he|she|we|somebody|someone|the \w+)(?:'ve| have| has|'s)? (?:moved|pushed|put|brought|rescheduled|changed|shifted|bumped|postponed|delayed) (?<t>.+?)(?: back| forward| up| off| out)? (?:to|until|till) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?<t>.+?) (?:is|should be|needs to be|can be)(?: due)? (?<n>${COUNTS}) (?<u>${UNITS}) (?<w>later|earlier|sooner)(?: now| instead)?$`,
      'i',
    ),
    means: ({ t = '', n = '', u = '', w = '' }, hearing) =>
      edit(t, { shift: { amount: countOf(n) * (/^later$/i.test(w) ? 1 : -1), unit: u } }, hearing),
  },
  {
    pattern: /^(?:(?:make|have) (?:it|that) )?(?:due|for|by) (?<d>.+)$/i,
    means: ({ d = '' }, hearing) => moved('it', d, hearing),
  },
];
