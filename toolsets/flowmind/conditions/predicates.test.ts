import { describe, expect, test } from 'vitest';
import { judgedByExamples } from './conditions.ts';
import { judgedByPredicate, namedMeasure } from './predicates.ts';
import type { Judgement } from './verdict.ts';

const about = (condition: string, message: string, more: Partial<Judgement> = {}): Judgement => ({
  condition,
  message,
  variables: {},
  signal: new AbortController().signal,
  ...more,
});
const ports = { clock: { now: () => new Date() }, embedder: undefined, generator: undefined };
const verdict = async (condition: string, message: string) => (await judgedByPredicate(about(condition, message), ports))?.result;

describe('named predicates', () => {
  test.each([
    ['user seems frustrated', 'I am fed up with this, it is ridiculous', true],
    ['user seems frustrated', 'I am not frustrated at all', false],
    ['user is angry', 'nobody answering me???', true],
    ['the customer is not happy', 'this is terrible and useless', true],
    ['the customer is happy', 'this is not good, I am disappointed', false],
    ['the user is happy', 'thank you, this works great', true],
    ['it is urgent', 'production is down and we are losing money', true],
    ['it is urgent', 'this is not urgent, take your time', false],
    ['the request is urgent', 'no rush, whenever you have time', false],
    ['the user is confused', "I don't understand what that means", true],
    ['the user is confused', 'got it, makes sense', false],
    ['the user agrees', 'yes, go ahead', true],
    ['the user agrees', 'no, hold off', false],
    ['user wants to stop', 'please cancel that, forget it', true],
    ['user wants to stop', 'please continue, keep going', false],
    ['user wants to stop', 'no, keep going', null],
    ['user seems frustrated', 'The parcel is blue', null],
    ['it is urgent', 'It is urgent but take your time', null],
  ])('%s: %s', async (condition, message, expected) => {
    expect(await verdict(condition, message)).toBe(expected);
  });

  test.each([
    'the user owns a boat',
    'user is frustrated with the billing department',
    'the happy path was taken',
    'sales are negative and the user is angry about refunds',
  ])('it keeps away from "%s", which says more than a state', (condition) => {
    expect(namedMeasure(condition)).toBeUndefined();
  });
});

describe('examples of a condition', () => {
  /** Unit vectors by hand: the first two dimensions are the two sides. */
  const places: Record<string, number[]> = {
    near: [0.95, 0.3],
    far: [0.3, 0.95],
    between: [0.71, 0.7],
    'not near': [0.95, 0.3],
    yes: [1, 0],
    no: [0, 1],
  };
  const embedder = {
    embed: async (texts: readonly string[]) => texts.map((text) => Float32Array.from(places[text] ?? [0, 0])),
  } as never;
  const judged = async (message: string) => {
    const given = about('x', message, { examples: { holds: ['yes'], fails: ['no'] } });
    return (await judgedByExamples(given, { ...ports, embedder }))?.result;
  };

  test('the nearer side decides, inside of the margin nothing does', async () => {
    expect(await judged('near')).toBe(true);
    expect(await judged('between')).toBeNull();
  });

  test('a message that differs from its example in a negation says nothing', async () => {
    expect(await judged('not near')).toBeNull();
    expect(await judged('far')).toBeNull();
  });
});
