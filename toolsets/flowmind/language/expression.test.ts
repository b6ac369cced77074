// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of contexts has ${…}
import { Failure } from '@millrace/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { ExpressionSyntaxError, parseExpression } from './expression.ts';

const value = (text: string, variables: Record<string, unknown> = {}) => evaluate(parseExpression(text), variables);

describe('expressions', () => {
  test.each([
    ['1 + 2 * 3', {}, 7],
    ['(1 + 2) * 3', {}, 9],
    ['10 - 3 - 2', {}, 5],
    ['-a + 1', { a: 2 }, -1],
    ['7 % 4', {}, 3],
    ["'a' + 1", {}, 'a1'],
    ['[1] + [2]', {}, [1, 2]],
    ['@input.x || 0.5', {}, 0.5],
    ['@input.x || 0.5', { x: 0.9 }, 0.9],
    ['x ?? 1', { x: 0 }, 0],
    ['@computed(a*b)', { a: 2, b: 4 }, 8],
    ['${user.name}', { user: { name: 'Ann' } }, 'Ann'],
    ['list[1].x', { list: [{}, { x: 5 }] }, 5],
    ['list.0', { list: ['first'] }, 'first'],
    ['list[-1]', { list: [1, 2] }, 2],
    ["urgency == 'high' AND NOT resolved", { urgency: 'high' }, true],
    ['NOT a == 1', { a: 2 }, true],
    ['!a', { a: 0 }, true],
    ["domain is 'technical'", { domain: 'technical' }, true],
    ["domain is not 'technical'", { domain: 'business' }, true],
    ["'b' in letters", { letters: ['a', 'b'] }, true],
    ["'c' not in letters", { letters: ['a', 'b'] }, true],
    ["letters contains 'a'", { letters: 'abc' }, true],
    ['missing > 3', {}, false],
    ['missing == null', {}, true],
    ['1 < 2 and 2 < 3 or false', {}, true],
    ["length(name) >= 3 && lower(name) == 'ann'", { name: 'ANN' }, true],
    ['join(unique(split(text, ",")), "-")', { text: 'a,b,a' }, 'a-b'],
    ['sum(pluck(items, "n")) / count(items)', { items: [{ n: 2 }, { n: 4 }] }, 3],
    ['round(2.345, 2)', {}, 2.35],
    ['min(3, 1, 2) + max([4, 9])', {}, 10],
    ["@semantic.analyze(text, 'urgency') > 0.5", { text: 'Please hurry, this is urgent' }, true],
  ])('%s with %j', (text, variables, expected) => {
    expect(value(text, variables as Record<string, unknown>)).toEqual(expected);
  });

  test.each(['a +', '(a', "'open", 'a ; b', '@env.HOME', 'a b', '', '${a', '1 ..2', '@semantic.guess(x)', 'f(a'])(
    '%s is a mistake with a place',
    (text) => {
      expect(() => parseExpression(text)).toThrow(ExpressionSyntaxError);
    },
  );

  test.each([
    ['1 / 0', {}],
    ["'a' < 1", {}],
    ["'a' * 2", {}],
    ['nothing_such(1)', {}],
    ['length(1)', {}],
    ['lower(5)', {}],
    ['constructor(1)', {}],
    ['lower()', {}],
  ])('%s fails in words', (text, variables) => {
    expect(() => value(text, variables)).toThrow(Failure);
  });

  test('only own fields of values are read', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(value(`a.${name}`, { a: {} })).toBeNull();
      expect(value(`a['${name}']`, { a: 'text' })).toBeNull();
      expect(value(name, {})).toBeNull();
    }
  });

  test('whatever is written, parsing answers or throws a mistake, and evaluating answers or fails in words', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            'a',
            'b.c',
            '1',
            "'x'",
            '(',
            ')',
            '+',
            '*',
            '==',
            'AND',
            'NOT',
            'in',
            '[',
            ']',
            ',',
            'length',
            '||',
            '@',
            '${',
            '}',
            '-',
            '.',
          ),
          { maxLength: 15 },
        )
        .map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue()), (written, variables) => {
        try {
          JSON.stringify(value(written, variables));
        } catch (error) {
          expect(error instanceof ExpressionSyntaxError || error instanceof Failure).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a value never becomes an expression', () => {
    fc.assert(
      fc.property(fc.string(), (hostile) => {
        expect(value('text', { text: hostile })).toBe(hostile);
        expect(value("text == 'x'", { text: hostile })).toBe(hostile === 'x');
      }),
    );
  });

  test('what is nested or long beyond reason is refused', () => {
    expect(() => parseExpression(`${'('.repeat(500)}1${')'.repeat(500)}`)).toThrow(ExpressionSyntaxError);
    expect(() => parseExpression('a'.repeat(3_000))).toThrow(ExpressionSyntaxError);
    expect(() => parseExpression('!'.repeat(1_000))).toThrow(ExpressionSyntaxError);
  });
});
