import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureMakers, unknownErrors } from './unknown-errors.ts';

const ROOT = join(import.meta.dirname, '..');

/** Where an unknown error may become a Failure, and why. */
const ALLOWED: Record<string, string> = {
  'packages/kernel/src/catalog.ts': 'the one place that turns a bug into an internal error, and logs it',
  'toolsets/flowise/doctor.ts': 'a doctor continues after a check that has a bug, and reports the bug',
};

const sources = globSync('{packages,toolsets}/**/*.{ts,mjs}', {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name),
})
  .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('errors by knowledge', () => {
  const makers = new Set(sources.flatMap(({ path, text }) => failureMakers(path, text)));

  const found = sources.flatMap(({ path, text }) => unknownErrors(path, text, makers));
  const fileOf = (place: string) => place.slice(0, place.lastIndexOf(':'));

  test('no catch makes a Failure out of an error that it has not recognised', () => {
    expect(found.filter((place) => !(fileOf(place) in ALLOWED))).toEqual([]);
  });

  test('every exception is still needed', () => {
    expect(Object.keys(ALLOWED).filter((path) => !found.some((place) => fileOf(place) === path))).toEqual([]);
  });
});

describe('the check itself', () => {
  const found = (source: string) => unknownErrors('x.ts', source, new Set(['unreachable'])).length > 0;

  test.each([
    ['anything', "try { work(); } catch (error) { throw new Failure('unavailable', 'x', { cause: error }); }"],
    ['anything, unseen', "try { work(); } catch { throw new Failure('unavailable', 'x'); }"],
    [
      'all but failures',
      "try { work(); } catch (error) { if (error instanceof Failure) throw error; throw new Failure('upstream', 'x'); }",
    ],
    [
      'all but failures, in one line',
      "try { work(); } catch (error) { throw error instanceof Failure ? error : new Failure('upstream', 'x'); }",
    ],
    ['all but one code', "try { work(); } catch (error) { if (error.code !== 'EEXIST') throw new Failure('storage', 'x'); }"],
    ['by another function', 'try { work(); } catch (error) { throw unreachable(error); }'],
    ['in a promise', "work().catch((error) => { throw new Failure('unavailable', 'x', { cause: error }); });"],
    ['after an unrelated test', "try { work(); } catch (error) { if (attempt > 3) throw new Failure('unavailable', 'x'); }"],
  ])('finds one that translates %s', (_, source) => expect(found(source)).toBe(true));

  test.each([
    [
      'a class',
      "try { work(); } catch (error) { if (error instanceof TransportError) throw new Failure('unavailable', 'x'); throw error; }",
    ],
    [
      'a code',
      "try { work(); } catch (error) { const { code } = error; if (code === 'ENOENT') throw new Failure('not_found', 'x'); throw error; }",
    ],
    ['the rest thrown on', "try { work(); } catch (error) { if (!isSystemError(error)) throw error; throw new Failure('storage', 'x'); }"],
    ['an abort', "try { work(); } catch (error) { if (signal.aborted) throw new Failure('cancelled', 'x'); throw error; }"],
    [
      'broken JSON',
      "try { value = JSON.parse(text.trim()); } catch (error) { throw new Failure('invalid_input', 'x', { cause: error }); }",
    ],
    ['in one line', 'work().catch((error) => { throw error instanceof TransportError ? unreachable(error) : error; });'],
  ])('accepts one that recognises %s', (_, source) => expect(found(source)).toBe(false));
});
