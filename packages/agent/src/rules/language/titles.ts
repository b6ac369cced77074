import type { NewTodo, Priority } from '../intents.ts';
import { dueOf, takeDate } from './dates.ts';
import type { Hearing } from './listening.ts';
import { capitalised } from './text.ts';

const MAX_TITLE = 255;
const SHORT_TITLE = 100;

/** The parts of what was said about one todo. */
export interface Details {
  title: string;
  description?: string;
  priority?: Priority;
  due?: string;
  tags?: string[];
  unused?: string;
  repeats: boolean;
}

const HIGH = '(?:high|highest|top|urgent|critical)';
const PRIORITIES: [RegExp, Priority][] = [
  [
    new RegExp(
      `(?:[,;(-] ?|\\b(?:with|at|as|of|in|and|make it|it's|its|it is|this is|that's|mark it(?: as)?|set to|set it to) +)*(?:an? )?\\b(?:(?:${HIGH})[- ]?(?:priority|prio|importance)|priority:? ?(?:is |of |= ?)?(?:high|highest|urgent|top|1)|p1|prio 1)\\b\\)?`,
      'i',
    ),
    'high',
  ],
  [
    /(?:[,;(-] ?|\b(?:with|at|as|of|and|make it|it's|its|it is|set to) +)*(?:a )?\b(?:(?:low|lowest)[- ]?(?:priority|prio|importance)|priority:? ?(?:is |of |= ?)?(?:low|lowest|3)|p3|prio 3)\b\)?/i,
    'low',
  ],
  [
    /(?:[,;(-] ?|\b(?:with|at|as|of|and|make it|it's|its|it is|set to) +)*(?:a )?\b(?:(?:medium|normal|mid)[- ]?(?:priority|prio|importance)|priority:? ?(?:is |of |= ?)?(?:medium|normal|2)|p2|prio 2)\b\)?/i,
    'medium',
  ],
  [
    /(?:[,;( -]|\band |\b(?:it's|its|it is|this is|that's|this one is|and it's) )+(?:very |really |super |quite |pretty |extremely )?(?:urgent|important|critical|a priority)\)?(?: to me)?[.!]*$/i,
    'high',
  ],
  [/(?:[,;(]| -(?! high)) ?(?:it's )?(?:very |really )?(?:urgent|important|critical|high)\)?(?=[.!]*$|,| and | -)/i, 'high'],
  [
    /^(?:urgent|important|critical)(?:: ?|! ?| - |, )|\b(?:asap|a\.s\.a\.p\.?|as soon as possible|right away|immediately|urgently)\b/i,
    'high',
  ],
  [
    /[,;(-]+ ?(?:no rush|not urgent|it's not urgent|not important|whenever|low)\)?[.!]*$|\b(?:no rush|when i get a chance|when i have time|whenever i can|at some point|someday)[.!]*$/i,
    'low',
  ],
];

const DESCRIPTION =
  /(?:[,;(-]+ ?|\s)(?:(?:with|and|having)(?: a| an| the| this)? (?:descriptions?|notes?|details|comments?)(?: (?:saying|that says|reading|of|that|is|as))?:?|(?:descriptions?|notes?|details|comments?):) (.+)$/i;

/** "…, his party is on saturday": a separate sentence after the todo. */
const EXPLANATION =
  /^(.*\S),? (?:- )?(?<=[,-] )((?:his|her|their|he|she|they|he's|she's|they're|the \w+|we|we're|there's|there is)(?: \w+){0,4}? ?(?:is|are|was|were|has|have|had|will|won't|can't|need|needs|want|wants|said|says|starts?|begins?|ends?|likes?|(?<=he's|she's|they're|we're|there's))\b.*)$/i;

/** What ends a list of tags: a date or a priority. */
const DETAIL =
  "(?:with|due|by|on|at|for|in|it's|its|no rush|not urgent|today|tonight|tomorrow|this|next|priority|p[123]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{1,2}(?::\\d\\d)? ?[ap]m|(?:high|highest|top|urgent|critical|low|lowest|medium|normal|mid)[- ]?(?:priority|prio|importance))\\b";
const TAGGED = new RegExp(
  `[,;(-]* ?\\b(?:and )?(?:tagged|labell?ed|tag(?: it)?|label(?: it)?|with (?:the |a )?(?:tags?|labels?)|under (?:the )?(?:tags?|labels?)|in (?:the )?category|category:?|tags?:|labels?:)(?: (?:as|with))?:? #?([\\p{L}\\p{N}_-]+(?:(?:, ?(?!urgent|important|critical)| and |,? & )(?!${DETAIL})#?[\\p{L}\\p{N}_-]+)*)\\)?`,
  'iu',
);
const HASHTAG = /(?:^|\s)#([\p{L}][\p{L}\p{N}_-]*)/gu;

/** Extracts due date, priority, tags and description; the rest is the title. */
export function detailsIn(text: string, hearing: Hearing): Details {
  const tags: string[] = [];
  let rest = text;
  let description: string | undefined;
  const described = DESCRIPTION.exec(rest);
  if (described && /\S.*\S{2}/.test(rest.slice(0, described.index))) {
    const [, quote = described[1] as string, after = ''] = /^(⟦\d+⟧)(.*)$/.exec(described[1] as string) ?? [];
    description = hearing.quotes.show(quote).trim();
    rest = `${rest.slice(0, described.index)}${after}`;
  }
  const explained = description === undefined ? EXPLANATION.exec(rest) : null;
  if (explained) {
    description = hearing.quotes.show(explained[2] as string).trim();
    rest = explained[1] as string;
  }
  const tagged = TAGGED.exec(rest);
  if (tagged && (tagged.index > 0 || /[,:]/.test(tagged[0]))) {
    tags.push(...(tagged[1] as string).split(/, ?| and | & /));
    rest = rest.replace(tagged[0], ' ');
  }
  rest = rest.replaceAll(HASHTAG, (_, tag: string) => {
    tags.push(tag);
    return ' ';
  });
  const { priority, rest: unprioritised } = takePriority(rest.replaceAll(/ {2,}/g, ' ').trim());
  const { moment, rest: undated, repeats } = takeDate(unprioritised, hearing.now);
  const { told, unused } = repeats ? { told: undated } : afterQuote(undated, hearing);
  return {
    ...fitting(titleOf(told, hearing), description),
    ...(unused && { unused }),
    ...(priority && { priority }),
    ...(moment && { due: dueOf(moment, hearing.now) }),
    ...(tags.length > 0 && { tags: [...new Set(tags.map((tag) => tag.replace(/^#/, '').toLowerCase()))] }),
    repeats,
  };
}

export function takePriority(text: string): { priority?: Priority; rest: string } {
  for (const [pattern, priority] of PRIORITIES) {
    const match = pattern.exec(text);
    if (!match) continue;
    const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`.replaceAll(/ {2,}/g, ' ');
    return { priority, rest: rest.replaceAll(' ,', ',').trim() };
  }
  return { rest: text };
}

/** A title that is too long is shortened, and its full text becomes the description. */
function fitting(title: string, description: string | undefined): Pick<Details, 'title' | 'description'> {
  const given = description === undefined ? {} : { description };
  if ([...title].length <= MAX_TITLE) return { title, ...given };
  const head = title
    .slice(0, SHORT_TITLE)
    .replace(/\s\S*$/, '')
    .toWellFormed();
  return { title: `${head}…`, description: description === undefined ? title : `${title}\n\n${description}` };
}

const LEADING =
  /^(?:[,:;.\-–>=*•+]+\s*|(?:to|that|which is|is|for|called|named|titled|saying|says|about|of|reading|as|and|also|then|please|the fact that|that i (?:need|have|must|should|want)(?: to)?|i (?:need|have|must|should|want)(?: to)?|me to|remember to|not to forget to|not forget to|do(?= the (?:dishes|laundry|groceries)\b)(?!.))\s+)+/i;
const TRAILING =
  /(?:[\s,:;.!\-–(]|\s(?:please|thanks|thank you|thx|for me|ok|okay|would you|will you|could you|can you|by|on|at|due|is due|which is due|that is due|until|before|for|and|with|to|in|from|of|too|as well|also|again|instead|to my (?:todo )?list|on my (?:todo )?list|to the list|to my todos|in my todos|as a (?:todo|task|reminder)|as (?:todo|task)|to do))+$/i;

/** What follows a quoted title and a comma is not part of it. */
function afterQuote(text: string, { quotes }: Hearing): { told: string; unused?: string } {
  const words = text.trim().replace(LEADING, '').replace(TRAILING, '');
  const [, told = text, rest = ''] = /^(⟦\d+⟧)(?:\s*[,;]| -\s)([^⟦]+)$/.exec(words) ?? [];
  const unused = rest.replace(/^(?:[\s,;.-]|(?:and|with)\s)+/i, '');
  return unused === '' ? { told } : { told, unused: quotes.show(unused) };
}

/** "to buy milk, please" is "Buy milk". */
export function titleOf(text: string, hearing: Hearing): string {
  const quoted = hearing.quotes.only(text.trim().replace(LEADING, '').replace(TRAILING, ''));
  if (quoted !== undefined) return quoted;
  let title = text.trim().replace(LEADING, '').replace(TRAILING, '').trim();
  title = title.replace(/\?+$/, '').replace(/^(?:the|an?|some) (?=\S)/i, '');
  return capitalised(hearing.quotes.show(title).replaceAll(/\s+/g, ' ').trim());
}

export function newTodo({ repeats: _repeats, ...details }: Details): NewTodo {
  return details;
}
