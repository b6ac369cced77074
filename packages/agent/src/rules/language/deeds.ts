import { ERRAND_VERBS, stem } from './text.ts';

/** When it happened, in the words that people add. */
export const LATELY =
  '(?: (?:already|now|today|yesterday|this morning|this afternoon|this evening|last night|earlier(?: today)?|just now|a (?:minute|moment|while) ago|too|as well|finally|at last|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|over the weekend))*';

const errandStems = new Set([...ERRAND_VERBS].map(stem));
const SAME_IN_THE_PAST = /^(?:read|put|set|cut|shut|hit|let|cost|quit|spread)$/i;
/** Verbs whose past tense does not mean that something is finished. */
const NO_DEED =
  /^(?:added|created|deleted|removed|renamed|changed|moved|needed|wanted|used|liked|tried|asked|told|thought|saw|seen|supposed|planned|started|found|left|lost|began|begun)$/;
const STATES =
  /^(?:needed|wanted|used|liked|cancell?ed|scheduled|planned|tired|bored|excited|worried|closed|moved|changed|left|stopped|broken|lost|set|ordered)$/;

/** Verbs that others may do to me: "Sofia texted" says nothing about what I did. */
const BOTH_WAYS = /^(?:texted|called|emailed|e-mailed|phoned|rang|messaged|replied|asked|told|wrote|contacted|answered|visited|invited)$/i;

/** "paid", "watered": the past tense of an action; forms that look like the present do not count. */
export function isPastForm(word: string): boolean {
  const lower = word.toLowerCase();
  const base = stem(lower);
  return base !== lower && (/ed$/.test(lower) || !ERRAND_VERBS.has(lower)) && !/(?:ing|s)$/.test(lower) && errandStems.has(base);
}

/** "Sofia texted": somebody who did something, and no "I", "we" or "was" before the verb. */
export function isByOthers(text: string): boolean {
  return [...text.matchAll(/(?<=(\S+) )([a-z-]+)/gi)].some(
    ([, before = '', verb = '']) =>
      BOTH_WAYS.test(verb) &&
      !/^(?:i|we|is|are|was|were|been|got|has|have|had|i've|we've|just|already|finally|also|and|now|then|be|all|both)$/i.test(before),
  );
}

/** A past form that means something is finished. */
export function isDeed(word: string): boolean {
  return isPastForm(word) && !/^(?:went|gone|came)$/i.test(word) && !NO_DEED.test(word.toLowerCase()) && !STATES.test(word.toLowerCase());
}

/** "I called mom", "bought milk": what was done, in the past. */
export function pastDeed(said: string): string | undefined {
  const clause = said.replace(
    /^(?:yesterday|today|this (?:morning|afternoon|evening)|last night|earlier(?: today)?|just now|on \w+day),? (?=(?:i|we)\b)/i,
    '',
  );
  const match = new RegExp(
    `^(?<who>(?:i|we)(?:'ve| have)? )?(?:(?:already|just|finally|now|also|actually) )*(?<verb>[a-z]+)(?: (?:up|off|out|in|back|away|down|through|over))? (?<rest>.+?)${LATELY}[.!]*$`,
    'i',
  ).exec(clause);
  const { who, verb = '', rest = '' } = match?.groups ?? {};
  const isPast = SAME_IN_THE_PAST.test(verb) ? who !== undefined : isPastForm(verb);
  // "I've got a training day" is in the future.
  if (/^got$/i.test(verb) && /^(?:an?|to|some|my|no|the .+ (?:on|at))\b/i.test(rest) && /'ve |have /i.test(who ?? '')) return undefined;
  if (!isPast || NO_DEED.test(verb.toLowerCase()) || /^(?:a great|a good|a bad|fun|time|it wrong|that wrong)\b/i.test(rest))
    return undefined;
  return /^(?:it|that|this|them|those|these|both|all of (?:it|them))$/i.test(rest) ? rest : `${verb} ${rest}`;
}

/** "the rent is paid", "plants watered". */
export function passiveDeed(clause: string): string | undefined {
  const [, thing = '', been, verb = ''] =
    new RegExp(
      `^(.+?)( is| are|'s| was| were| has been| have been| got| is all| are all)?(?: already| now| all| finally)* ([a-z]+)(?: (?:up|off|out|in|back|away|down|over))?${LATELY}[.!]*$`,
      'i',
    ).exec(clause) ?? [];
  if (been === undefined && BOTH_WAYS.test(verb)) return undefined;
  if (!isPastForm(verb) || thing === '' || (been === undefined && thing.split(' ').length > 3)) return undefined;
  if (
    /^(?:i|we|you|he|she|they|it|that|this|what|who|which|there|nothing|how|why|when|where)\b/i.test(thing) ||
    STATES.test(verb.toLowerCase())
  )
    return undefined;
  return `${verb} ${thing}`;
}
