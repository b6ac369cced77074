import { expect, test } from 'vitest';
import { waitOf } from './client.ts';
import { headerSecret } from './secret.ts';
import { transportErrorOf } from './transport-error.ts';

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

test('a listed code is trouble on the way, wherever it hides in the error', () => {
  expect(transportErrorOf(coded('ECONNREFUSED'))).toMatchObject({ problem: 'unreachable', reason: 'nothing listens there' });
  expect(transportErrorOf(new TypeError('fetch failed', { cause: coded('ENOTFOUND') }))).toMatchObject({ code: 'ENOTFOUND' });
  expect(transportErrorOf(new AggregateError([coded('EHOSTUNREACH'), coded('ECONNREFUSED')]))).toMatchObject({ code: 'EHOSTUNREACH' });
  expect(transportErrorOf(coded('ERR_SSL_WRONG_VERSION_NUMBER'))).toMatchObject({ reason: 'what answers there does not speak TLS' });
  expect(transportErrorOf(coded('HPE_INVALID_CONSTANT'))).toMatchObject({ reason: 'what answers there does not speak HTTP' });
  expect(transportErrorOf(coded('UND_ERR_SOCKET'))).toMatchObject({ problem: 'broken' });
});

test('what is not listed is a bug, and stays one', () => {
  for (const error of [
    new TypeError('x is not a function'),
    coded('UND_ERR_INVALID_ARG'),
    coded('ENOSPC'),
    coded('toString'),
    'text',
    null,
  ])
    expect(transportErrorOf(error)).toBeUndefined();
});

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(waitOf('5', now)).toBe(5_000);
  expect(waitOf('0.02', now)).toBe(20);
  expect(waitOf('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000);
  expect(waitOf('Thu, 01 Jan 2020 00:01:00 GMT', now)).toBe(0);
  expect(waitOf('999999999999', now)).toBe(86_400_000);
  for (const header of [undefined, '', 'soon', '-1']) expect(waitOf(header, now)).toBeUndefined();
});

test('a key that no header can carry is named by its setting', () => {
  const secret = (value: string) => headerSecret({ variable: 'SOME_KEY', value, from: 'its page' });
  expect(secret(' abc\n')).toBe('abc');
  expect(secret('  ')).toBeUndefined();
  for (const value of ['abc…xyz', 'a\r\nX-Injected: 1', 'two words'])
    expect(() => secret(value)).toThrow('SOME_KEY contains characters that a key cannot have');
});
