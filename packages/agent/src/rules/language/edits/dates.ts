import { COUNT, countOf } from '../days.ts';
import { type Means, rules } from '../listening.ts';
import { edit, moved } from './order.ts';

const UNITS = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)';
const COUNTS = `(?:${COUNT}|another)`;
const DUE = '(?:due dates?|deadlines?|due|dates?)';

const move: Means = ({ t, d }, hearing) => moved(t || 'it', d, hearing);
const undate: Means = ({ t }, hearing) => edit(t, { due: 'none' }, hearing);

/** "add a deadline", "set the due date": also after words that otherwise begin a new todo. */
export const ADDED_DATES = rules([
  [
    undate,
    `^(?:remove|delete|clear|drop|take away|unset|get rid of|cancel) (?:the )?${DUE} (?:from|of|for|on|off) (?<t>.+)$|^(?<t2>.+?) (?:has|have|needs) no (?:due date|deadline)(?: any ?more)?$|^(?:make|set) (?<t3>.+?) (?:not due|due never|have no (?:due date|deadline))$|^(?:remove|delete|clear|drop) (?<t4>.+?)'s ${DUE}$`,
  ],
  [
    move,
    `^(?:set|change|update|make|move|adjust|push|extend|add|put) (?:a |the |its )?${DUE} (?:to|as|on|for|of|until|be|:) ?(?<d>.+)$`,
    `^(?:set|change|update|make|move|edit|adjust|give|add|put|assign|push|extend) (?:a |the |its )?${DUE} (?:of|for|on|to) (?<t>.+?)(?: (?:to|as|on|for|=|of|until|back to|is|be)| ?:) ?(?<d>.+)$`,
    `^(?:add|give|set|put) (?:a )?${DUE} (?:of |for |on )?(?<d>.+?) (?:to|for|on) (?<t>.+)$|^(?:give|set|assign) (?<t2>.+?) (?:a )?(?:due date|deadline) (?:of |for |on |to )?(?<d2>.+)$`,
  ],
]);

export const DATES = rules([
  [
    ({ t, d }, hearing) => {
      const intent = hearing.wish ? undefined : moved(t, d, hearing, true);
      return intent?.otherwise ? { ...intent, exactly: true, otherwise: { ...intent.otherwise, clear: true } } : undefined;
    },
    /^(?:schedule|plan|pencil in) (?<t>.+?)(?: in)? (?:for|on|at) (?<d>.+)$/i,
  ],
  [
    undate,
    /^(?:no|without a) (?:due date|deadline) (?:for|on) (?<t>.+)$|^(?:take|drop|remove) (?:the )?(?:due date|deadline|date) off (?:of )?(?<t2>.+)$/i,
  ],
  [
    move,
    /^(?<t>.+?) (?:needs|gets|has|should have|must have) (?:a |an )?(?:due date|deadline) (?:of |on |by |for )?(?<d>.+)$/i,
    /^(?:set|make|change|mark|update|have|get|move) (?<t>.+?)(?:'s)? (?:a |the )?(?:to be |as |to )?(?:due date|deadline|due)(?: (?:to|of|on|for|as|by|at|date|is))* (?<d>.+)$/i,
  ],
  [
    ({ t, n, u, w }, hearing) => {
      const count = n;
      const amount = (count === 'another' ? 1 : countOf(count)) * (/^(?:earlier|sooner|ahead)$/i.test(w) ? -1 : 1);
      return hearing.wish ? undefined : edit(t, { shift: { amount, unit: u } }, hearing);
    },
    `^(?:postpone|push(?: back| off| out)?|delay|defer|move|shift|snooze|extend|bump|put off|set back|hold off on) (?<t>.+?)(?: back| forward| out| off)?(?: by| for)? (?<n>${COUNTS})(?: more)? (?<u>${UNITS})(?: later| out| more)?$|^(?:make|do|start|have|bring|move|shift|push|schedule) (?<t2>.+?)(?: forward| up)?(?: by)? (?<n2>${COUNTS}) (?<u2>${UNITS}) (?<w>later|earlier|sooner|ahead)$`,
  ],
  [
    ({ t, d }, hearing) => (hearing.wish ? undefined : moved(t, d, hearing)),
    /^(?:move|postpone|push(?: back| off| out)?|delay|defer|reschedule|re-schedule|shift|bump|snooze|put off|put|bring forward|pull|advance|extend|set|hold off on|make|switch|change|carry over|roll over) (?<t>.+?)(?: back| forward| off| out| up| over| ahead)? (?:to|until|till|for|on|by|at|from \S+ to) (?<d>.+)$/i,
  ],
  [
    move,
    /^(?:move|make|push|change|postpone|reschedule|delay|bump) (?<t>it|that|this|that one|this one|them|the (?:\w+ ){1,3}(?:one|todo|task)) (?:to )?(?:be )?(?:due )?(?<d>.+?)(?: instead)?$/i,
  ],
  [
    ({ t, d }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there|it's|nothing|anything)\b/i.test(t) ? undefined : moved(t, d, hearing, true),
    /^(?<t>.+?)(?: is| are|'s| should be| needs to be| has to be| must be| have to be| need to be| was)(?: now| actually| not due until)? ?(?:due|done|finished|completed|ready|in|not due until|for|on|at)(?: on| by| at| before| until)? (?<d>.+)$/i,
  ],
  [
    ({ t, d, u }, hearing) =>
      /^(?:what|when|which|who|how)\b/i.test(t) ? undefined : moved(t.replace(/^(?:the|its?)$/i, 'it') || u, d, hearing),
    /^(?<t>.+?)(?:'s)? (?:due date|deadline)(?: should be| is| must be| needs to be| has to be)(?: now| on)? (?<d>.+)$|^the (?:due date|deadline) (?:of|for) (?<u>.+?) (?:should be|is|must be|needs to be)(?: now| on)? (?<d2>.+)$/i,
  ],
  [
    ({ t, d }, hearing) => (/^(?:i|we|you)$/i.test(t) ? undefined : moved(t, d, hearing)),
    /^(?<t>.+?)(?: has| have| is| are| was| got| been|'s|'s been)* (?:moved|pushed|postponed|rescheduled|delayed|shifted|changed|put|brought|bumped|switched)(?: back| out| off| forward| up)? (?:to|until|till|for) (?<d>.+)$/i,
  ],
  [
    move,
    /^(?:they|he|she|we|somebody|someone|the \w+)(?:'ve| have| has|'s)? (?:moved|pushed|put|brought|rescheduled|changed|shifted|bumped|postponed|delayed) (?<t>.+?)(?: back| forward| up| off| out)? (?:to|until|till) (?<d>.+)$/i,
  ],
  [
    ({ t, n, u, w }, hearing) => edit(t, { shift: { amount: countOf(n) * (/^later$/i.test(w) ? 1 : -1), unit: u } }, hearing),
    `^(?<t>.+?) (?:is|should be|needs to be|can be)(?: due)? (?<n>${COUNTS}) (?<u>${UNITS}) (?<w>later|earlier|sooner)(?: now| instead)?$`,
  ],
  [move, /^(?:(?:make|have) (?:it|that) )?(?:due|for|by) (?<d>.+)$/i],
]);
