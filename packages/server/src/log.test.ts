import { Failure } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { plainError } from './log.ts';

test('an error is logged with its causes, without the requests that libraries hang on them', () => {
  const cause = Object.assign(new TypeError('a bug'), { code: 'ERR_X', requestBodyValues: { prompt: 'a private text' } });
  const logged = plainError(new Failure('upstream', 'It failed', { cause, details: { value: 'a private text' } }), 5);
  expect(logged).toMatchObject({
    type: 'Failure',
    code: 'upstream',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'TypeError', code: 'ERR_X', message: 'a bug', stack: expect.stringContaining('log.test.ts') },
  });
  expect(JSON.stringify(logged)).not.toContain('a private text');
  expect(plainError('x'.repeat(5_000), 5)).toEqual({ message: 'x'.repeat(1_000) });
  const circular = new Error('x');
  circular.cause = circular;
  expect(() => JSON.stringify(plainError(circular, 5))).not.toThrow();
});
