/** Terms with their weights, and those that speak against them. */
interface Measure {
  terms: Terms;
  opposite: Terms;
}

type Terms = Readonly<Record<string, number>>;

function weighed(text: string): Terms {
  return Object.fromEntries(
    text.split(',').map((entry) => {
      const [, term = '', weight] = /^\s*(.+) ([\d.]+)\s*$/.exec(entry) ?? [];
      return [term, Number(weight)];
    }),
  );
}

const POSITIVE = weighed(`
  happy 1.2, glad 1.1, great 1, excellent 1.3, perfect 1.2, love 1.1, awesome 1.2, wonderful 1.3, fantastic 1.3, amazing 1.2,
  thanks 0.8, thank you 0.9, pleased 1.2, satisfied 1.2, delighted 1.4, appreciate 0.9, works well 1.1, works great 1.2, nice 0.7,
  good 0.6, enjoy 0.9, helpful 0.9, brilliant 1.2, relieved 1
`);

const NEGATIVE = weighed(`
  unhappy 1.3, sad 1.1, terrible 1.4, awful 1.4, horrible 1.4, bad 0.8, worst 1.3, hate 1.3, disappointed 1.3, disappointing 1.3,
  useless 1.3, broken 0.7, dissatisfied 1.4, poor 0.8, unacceptable 1.4, frustrating 1.3, frustrated 1.3, angry 1.3, upset 1.2,
  annoyed 1.2, annoying 1.2, disaster 1, miserable 1.3, pathetic 1.3, ridiculous 1.2
`);

/** What the words of a text show, without a model. */
const MEASURE: Readonly<Record<string, Measure>> = {
  frustration: {
    terms: weighed(`
      frustrated 1.6, frustrating 1.5, frustration 1.4, angry 1.5, furious 1.7, annoyed 1.4, annoying 1.3, fed up 1.6,
      sick of 1.5, sick and tired 1.7, ridiculous 1.3, unacceptable 1.4, outrageous 1.5, irritated 1.4, upset 1.2, terrible 0.8,
      awful 0.8, hate 0.9, useless 1, worst 0.9, mad 1, third time 1, again and again 1.1, over and over 1.1, still not 0.7,
      still broken 0.9, no one answers 1, nobody answers 1, nobody answering 1.1, waste of time 1.4, wasting my time 1.4,
      how many times 1.2, give up 0.8, had enough 1.5, for weeks 0.6, keeps failing 0.9, keeps crashing 0.9
    `),
    opposite: {
      ...POSITIVE,
      ...weighed('no problem 1, no worries 1.2, all good 1.2, calm 1, patient 0.8'),
    },
  },
  urgency: {
    terms: weighed(`
      urgent 1.6, urgently 1.6, asap 1.5, immediately 1.3, emergency 1.6, critical 1.2, right now 1.2, right away 1.3,
      as soon as possible 1.5, production is down 1.7, is down 1, outage 1.4, deadline 0.8, today 0.4, tonight 0.6, by noon 0.8,
      by tomorrow 0.7, hurry 1.2, time sensitive 1.4, time critical 1.5, within the hour 1.3, losing money 1.2,
      customers affected 1.1, cannot wait 1.3, can't wait 0.8, instantly 0.9, losing customers 1.2
    `),
    opposite: weighed(`
      no rush 1.6, no hurry 1.6, whenever 1.1, when you have time 1.5, when you get a chance 1.5, eventually 0.9, someday 1.2,
      next month 0.8, next year 1, not urgent 1.7, low priority 1.4, take your time 1.6, at some point 1, can wait 1.3,
      leisurely 1
    `),
  },
  positivity: { terms: POSITIVE, opposite: NEGATIVE },
  negativity: { terms: NEGATIVE, opposite: POSITIVE },
  confusion: {
    terms: weighed(`
      confused 1.6, confusing 1.4, confusion 1.3, unclear 1.2, lost 0.8, puzzled 1.4, don't understand 1.5, do not understand 1.5,
      doesn't make sense 1.4, does not make sense 1.4, makes no sense 1.4, what do you mean 1.3, what does that mean 1.2,
      no idea 1.1, don't get it 1.4, not sure what 1.1, not sure how 1, can't figure out 1.3, cannot figure out 1.3,
      how does this work 0.9, huh 0.9, baffled 1.5
    `),
    opposite: weighed('understood 1.3, i understand 1.3, got it 1.3, clear 0.8, makes sense 1.3, i see 0.9, obvious 0.7'),
  },
  agreement: {
    terms: weighed(`
      yes 1.2, yep 1.2, yeah 1.1, agree 1.4, agreed 1.4, approve 1.4, approved 1.4, confirm 1.2, confirmed 1.3, go ahead 1.5,
      sounds good 1.4, do it 1, ok 0.9, okay 0.9, accept 1.2, accepted 1.3, sure 0.9, absolutely 1.2
    `),
    opposite: weighed(`
      no 1.1, nope 1.3, disagree 1.4, reject 1.4, rejected 1.4, decline 1.3, refuse 1.4, stop 1, cancel 1.1, no way 1.5,
      hold off 1.3, wait 0.6
    `),
  },
  refusal: {
    terms: weighed(`
      no 1.1, nope 1.3, disagree 1.3, reject 1.4, decline 1.3, refuse 1.5, stop 1.2, cancel 1.3, quit 1.1, no way 1.5,
      hold off 1.3, forget it 1.4, never mind 1.3, abort 1.4
    `),
    opposite: weighed(`
      yes 1.2, yep 1.2, yeah 1.1, agree 1.3, go ahead 1.5, continue 1.2, proceed 1.3, go on 1.2, sounds good 1.4, keep going 1.5
    `),
  },
};

export const MEASURES: readonly string[] = Object.keys(MEASURE);

const NEGATIONS = new Set(
  "not no never without isn't wasn't aren't don't doesn't didn't can't cannot won't hardly nothing neither nor ain't wouldn't haven't hasn't".split(
    ' ',
  ),
);
/** Phrases with a negation that does not negate what follows. */
const NOT_ONLY = /\bnot only\b|\bno doubt\b|\bnot just\b/g;
const REACH = 3;

export interface Signals {
  for: { term: string; weight: number }[];
  against: { term: string; weight: number }[];
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(NOT_ONLY, ' ')
      .match(/[\p{L}\p{N}']+|[.!?;,]/gu) ?? []
  );
}

/** The terms of a text that speak for and against a measure; a negated term changes sides. */
export function signalsOf(text: string, measure: string): Signals {
  const found: Signals = { for: [], against: [] };
  const { terms, opposite } = MEASURE[measure] ?? { terms: {}, opposite: {} };
  const words = wordsOf(text);
  for (const [side, other, list] of [
    ['for', 'against', terms],
    ['against', 'for', opposite],
  ] as const) {
    for (const [term, weight] of Object.entries(list)) {
      for (const at of placesOf(words, term.split(' '))) {
        const negated = !NEGATIONS.has(term) && isNegatedAt(words, at);
        found[negated ? other : side].push({ term: negated ? `not ${term}` : term, weight: negated ? weight * 0.8 : weight });
      }
    }
  }
  return withoutCovered(found);
}

function* placesOf(words: string[], term: string[]): Generator<number> {
  for (let at = 0; at + term.length <= words.length; at++) if (term.every((word, index) => words[at + index] === word)) yield at;
}

/** A negation a few words before, in the same clause. */
function isNegatedAt(words: string[], at: number): boolean {
  let count = 0;
  for (let index = at - 1; index >= 0 && index >= at - REACH; index--) {
    const word = words[index] ?? '';
    if (/^[.!?;,]$/.test(word) || word === 'but') break;
    if (NEGATIONS.has(word)) count++;
  }
  return count % 2 === 1;
}

/** "not urgent" is one term, not "urgent" as well. */
function withoutCovered(signals: Signals): Signals {
  const all = [...signals.for, ...signals.against].map((each) => each.term);
  const isCovered = (term: string) =>
    all.some((other) => other !== term && other.split(' ').length > term.split(' ').length && other.includes(term));
  return { for: signals.for.filter((each) => !isCovered(each.term)), against: signals.against.filter((each) => !isCovered(each.term)) };
}

export function weightOf(signals: readonly { weight: number }[]): number {
  return signals.reduce((sum, each) => sum + each.weight, 0);
}

/** How strongly a text shows the measure, from 0 to 1. */
export function analyze(text: string, measure: string): number {
  const signals = signalsOf(text, measure);
  const strength = Math.max(0, weightOf(signals.for) - weightOf(signals.against));
  return Math.round((1 - Math.exp(-strength)) * 100) / 100;
}

export function isNegated(text: string): boolean {
  return wordsOf(text).filter((word) => NEGATIONS.has(word)).length % 2 === 1;
}
