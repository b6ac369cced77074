import { signalsOf, weightOf } from '../language/lexicon.ts';
import { decided, type Rung, unknown } from './verdict.ts';

/** Words of a condition that name a measure. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^(frustrat\w*|angry|anger|annoyed|annoyance|irritated|furious|mad|upset)$/, 'frustration'],
  [/^(urgent|urgency|urgently|emergency|asap|critical|time-sensitive|time-critical|immediate)$/, 'urgency'],
  [/^(happy|satisfied|pleased|positive|glad|content|delighted|satisfaction)$/, 'positivity'],
  [/^(unhappy|dissatisfied|negative|sad|disappointed|displeased)$/, 'negativity'],
  [/^(confused|confusion|puzzled|unclear|baffled)$/, 'confusion'],
  [/^(agrees?|agreed|agreement|confirms?|confirmed|approves?|approved|accepts?|accepted|consents?)$/, 'agreement'],
  [/^(refuses?|refused|declines?|declined|rejects?|rejected|disagrees?|objects?)$/, 'refusal'],
];

const WANTS_TO_STOP = /^(the )?(user|customer|person|caller|client) (wants?|asks?|wishes) to (stop|cancel|quit|abort)$/;

/** Words that only say whom a condition is about, and how sure. */
const FRAME = new Set(
  'the a an user users customer client caller person they he she someone is are was be been being seems seem seemed appears appear appear sounds sound feels feel looks look message request text conversation tone sentiment of in and very quite clearly really now currently still to this it expresses express shows show has have had matter situation issue getting becoming'.split(
    ' ',
  ),
);
const NEGATING = new Set(['not', 'no', "isn't", "doesn't", "aren't", 'never', 'longer', "wasn't"]);

/** The measure that a condition names, and nothing besides: "user seems frustrated", "the customer is not happy". */
export function namedMeasure(condition: string): { measure: string; negated: boolean } | undefined {
  const plain = condition
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[.!?"]/g, '')
    .trim();
  if (WANTS_TO_STOP.test(plain)) return { measure: 'refusal', negated: false };
  let measure: string | undefined;
  let negated = false;
  for (const word of plain.split(/\s+/)) {
    const named = NAMED.find(([pattern]) => pattern.test(word))?.[1];
    if (named && measure && named !== measure) return undefined;
    if (named) measure = named;
    else if (NEGATING.has(word)) negated ||= word !== 'longer';
    else if (!FRAME.has(word)) return undefined;
  }
  return measure === undefined ? undefined : { measure, negated };
}

const ENOUGH = 1;
const CLEARLY = 2;

/** Named states of a person, by the words they use. Without words for it or against it, it does not know. */
export const judgedByPredicate: Rung = ({ condition, message, summary }) => {
  const named = namedMeasure(condition);
  if (!named) return undefined;
  const signals = signalsOf([message, summary ?? ''].join('. '), named.measure);
  const [pro, contra] = [weightOf(signals.for), weightOf(signals.against)];
  const shown = (list: { term: string }[]) => [...new Set(list.map((each) => each.term))];
  const evidence = [...shown(signals.for).map((term) => `for: "${term}"`), ...shown(signals.against).map((term) => `against: "${term}"`)];
  const strength = Math.abs(pro - contra);
  if (Math.max(pro, contra) < ENOUGH || Math.max(pro, contra) < CLEARLY * Math.min(pro, contra)) {
    return unknown(
      'predicate',
      evidence.length === 0 ? `No words show ${named.measure} or its absence` : `The words for and against ${named.measure} are not clear`,
      evidence,
    );
  }
  const shows = pro > contra;
  const reasoning = `The words show ${shows ? named.measure : `the opposite of ${named.measure}`}`;
  return decided('predicate', named.negated ? !shows : shows, Math.min(0.95, 0.6 + 0.15 * strength), reasoning, evidence);
};
