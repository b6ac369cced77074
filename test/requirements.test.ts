import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FINISHED, GROUPS, groupOf, promises } from './requirements.ts';

const ROOT = join(import.meta.dirname, '..');
const ITSELF = ['test/requirements.ts', 'test/requirements.test.ts'];

interface Citation {
  path: string;
  /** Undefined where the ids are not written out. */
  ids: string[] | undefined;
}

/** The first argument of every `verifies(`: a string, or a list of strings. */
function citationsIn(path: string, text: string): Citation[] {
  return [...text.matchAll(/\bverifies\(\s*(?:(['"])([^'"]+)\1|\[([^\]]*)\])?/g)].map(([, , single, list]) => ({
    path,
    ids: single !== undefined ? [single] : list?.match(/(?<=['"])[\w-]+(?=['"])/g)?.slice(),
  }));
}

const citations = ['test', 'packages', 'toolsets']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name) }))
  .filter((path) => !ITSELF.includes(path))
  .flatMap((path) => citationsIn(path, readFileSync(join(ROOT, path), 'utf8')));
const cited = new Set(citations.flatMap(({ ids }) => ids ?? []));

describe('the promises', () => {
  test('each have an id of their own, in a known group', () => {
    const ids = promises.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => groupOf(id) === undefined)).toEqual([]);
  });

  test('are cited by ids that are written out and exist', () => {
    const known = new Set(promises.map(({ id }) => id));
    expect(citations.filter(({ ids }) => ids === undefined).map(({ path }) => `${path}: write the ids out`)).toEqual([]);
    expect([...cited].filter((id) => !known.has(id))).toEqual([]);
  });

  test.each(GROUPS)('of %s are cited by scenarios', (group) => {
    const own = promises.filter(({ id }) => groupOf(id) === group).map(({ id }) => id);
    const uncited = own.filter((id) => !cited.has(id));
    const note = FINISHED.includes(group) ? '' : ' (not finished yet)';
    process.stdout.write(`promises of ${group}: ${own.length - uncited.length} of ${own.length} cited${note}\n`);
    expect(own.length).toBeGreaterThan(0);
    expect(FINISHED.includes(group) ? uncited : []).toEqual([]);
  });
});
