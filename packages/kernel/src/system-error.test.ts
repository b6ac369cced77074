import { expect, test } from 'vitest';
import { systemFailure } from './system-error.ts';

const refused = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });

test('a full disk and a name that is too long are known wherever they occur; nothing else is', () => {
  expect(systemFailure(refused('ENOSPC'))).toMatchObject({ code: 'storage', message: 'The disk is full' });
  expect(systemFailure(refused('EDQUOT'))).toMatchObject({ code: 'storage' });
  expect(systemFailure(refused('ENAMETOOLONG'))).toMatchObject({ code: 'invalid_input', fix: { instruction: 'Use a shorter name' } });
  expect(systemFailure(refused('EACCES'))).toBeUndefined();
  expect(systemFailure(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))).toBeUndefined();
});
