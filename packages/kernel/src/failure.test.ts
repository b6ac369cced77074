import { expect, test } from 'vitest';
import { Failure, withCommandOf } from './failure.ts';

test('the command of a fix starts with the name of this program', () => {
  const cause = new Error('why');
  const failure = new Failure('unavailable', 'No engine', {
    details: { a: 1 },
    fix: { instruction: 'Install it', command: 'engine add n8n', why: 'it runs workflows' },
    cause,
  });
  const shown = withCommandOf('npx millrace', failure);
  expect(shown.fix).toEqual({ instruction: 'Install it: npx millrace engine add n8n', why: 'it runs workflows' });
  expect([shown.code, shown.message, shown.details, shown.cause]).toEqual(['unavailable', 'No engine', { a: 1 }, cause]);
  const plain = new Failure('not_found', 'Nothing', { fix: { instruction: 'Look elsewhere' } });
  expect(withCommandOf('npx millrace', plain)).toBe(plain);
});
