import { expect, test } from 'vitest';
import { Failure, systemFailure, withCommandOf } from './failure.ts';

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

const refused = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });

test('a full disk and a name that is too long are known wherever they occur; nothing else is', () => {
  expect(systemFailure(refused('ENOSPC'))).toMatchObject({ code: 'storage', message: 'The disk is full' });
  expect(systemFailure(refused('EDQUOT'))).toMatchObject({ code: 'storage' });
  expect(systemFailure(refused('ENAMETOOLONG'))).toMatchObject({ code: 'invalid_input', fix: { instruction: 'Use a shorter name' } });
  expect(systemFailure(refused('EACCES'))).toBeUndefined();
  expect(systemFailure(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))).toBeUndefined();
});
