import type { Edit, Intent } from '../../intents.ts';
import { takeDate } from '../dates.ts';
import { firstMeaning, type Hearing, rules } from '../listening.ts';
import { ADDED_DATES, DATES } from './dates.ts';
import { NOTES, PRIORITIES, RENAMES, TAGS } from './fields.ts';
import { edit, renamed, tagsIn, typedChange } from './order.ts';

const STATUS =
  /^(?:be |as )?(?:done|complete|completed|finished|closed|open|reopened|pending|archived|deleted|not done|undone|incomplete)$/i;

const GENERIC = rules([
  [
    ({ t, v }, hearing) => {
      const change = typedChange(v, hearing, true);
      return change && edit(t, change, hearing);
    },
    /^make (?<t>it|that|this|that one) (?:be |say |read )?(?<v>.+)$/i,
  ],
  [
    ({ t, v }, hearing) => {
      const status = STATUS.test(v) || /^(?:the )?status\b/i.test(t);
      const change = hearing.wish || status ? undefined : typedChange(v, hearing, true);
      if (change?.title !== undefined) return renamed(t, v, hearing);
      return change && edit(t, change, hearing);
    },
    /^(?:change|update|edit|modify|turn|switch|correct|alter|adjust|revise)(?: the)? (?<t>.+?) (?:to say|to read|so (?:that )?it says|to be|to|into|with) (?<v>.+)$/i,
  ],
  [
    ({ t, v }, hearing) =>
      hearing.wish || /^(?:list|todos?|tasks|back|trash|bin|archives?|top|bottom|it|that|table|fridge|car|bed)$/i.test(v)
        ? undefined
        : edit(t, { addTags: tagsIn(v) }, hearing, { doubtful: true }),
    /^(?:move|put) (?<t>.+?) (?:to|in|into|under|on) (?:my |the )?(?<v>[\w-]+)(?: (?:list|category|group|tag|folder))?$/i,
  ],
]);

const MAKES_NEW =
  /^(?:add|create|append|remind|remember|don't|do not|note|new|todo|task|put (?:down|.+ (?:on|in|to|onto) (?:(?:my|the) (?:\w+ )?list|there|here))|jot|write|insert|(?:make|set|set up|start|open|log|give me|schedule|get me) (?:an?|another|one more|new|the following) (?:[\w-]+ ){0,3}?(?:todo|task|reminder|item)s?|i (?:need|have|must|should|want)|make a (?:todo|task|note|reminder)|set a reminder)\b/i;

/** Changes without "add" and the like; those words start a new todo, unless they add a note, a tag or a date. */
export function editIn(clause: string, hearing: Hearing): Intent | undefined {
  return combined(clause, hearing) ?? oneEdit(clause, hearing);
}

/** "make it urgent and due monday": two changes of one todo. */
function combined(clause: string, hearing: Hearing): Intent | undefined {
  const { first = '', second = '' } =
    /^(?<first>.+?)(?:,? and|,| &) (?:(?:make|set|mark|change) (?:it|that) (?:to |as )?|(?:also )?(?:with|as|it's|is) (?:an? )?)?(?<second>[^,]+)$/i.exec(
      clause,
    )?.groups ?? {};
  const more =
    second === '' ? undefined : bareChange(second.replace(/^(?:make|set) (?:the )?(?:priority|due date) (?:to )?/i, ''), hearing);
  const one = more && oneEdit(first, hearing);
  if (one?.kind !== 'change' || one.change.kind !== 'edit' || one.otherwise || one.change.edit.title !== undefined) return undefined;
  return { ...one, change: { kind: 'edit', edit: { ...one.change.edit, ...more } } };
}

const ADDITIONS = [...NOTES, ...TAGS, ...ADDED_DATES];
const EDITS = [...RENAMES, ...NOTES, ...TAGS, ...PRIORITIES, ...ADDED_DATES, ...DATES, ...GENERIC];

function oneEdit(clause: string, hearing: Hearing): Intent | undefined {
  return firstMeaning(MAKES_NEW.test(clause) ? ADDITIONS : EDITS, clause, hearing);
}

const VAGUE = rules([
  [
    ({ t }, hearing) => (hearing.wish || takeDate(t, hearing.now).moment ? undefined : edit(t, {}, hearing)),
    /^(?:edit|update|change|modify|postpone|reschedule|snooze|delay) (?<t>[^?]+)$/i,
  ],
]);

/** An order to change something that does not say what. */
export function vagueEditIn(clause: string, hearing: Hearing): Intent | undefined {
  return firstMeaning(VAGUE, clause, hearing);
}

/** A change that does not name its todo: "friday", "high priority". */
export function bareChange(text: string, hearing: Hearing): Edit | undefined {
  return typedChange(text.replace(/^(?:make it|to|for|on|by|due) /i, ''), hearing, false);
}
