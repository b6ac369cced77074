import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@millrace/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Roots } from './roots.ts';

let workspace: string;
let roots: Roots;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-roots-')));
  mkdirSync(join(workspace, 'workflows/sub'), { recursive: true });
  mkdirSync(join(workspace, 'other'));
  mkdirSync(join(workspace, 'outside'));
  writeFileSync(join(workspace, 'workflows/a.json'), '{}');
  writeFileSync(join(workspace, 'other/b.json'), '{}');
  writeFileSync(join(workspace, 'outside/secret.json'), '{}');
  roots = new Roots(workspace, ['workflows', join(workspace, 'other')]);
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test('finds files below each root, relative to a root or the workspace, or absolute', async () => {
  for (const written of ['a.json', 'sub/../a.json', './a.json', 'workflows/a.json', join(workspace, 'workflows/a.json')]) {
    expect(await roots.locate(written)).toMatchObject({ path: join(workspace, 'workflows/a.json'), shown: 'a.json', exists: true });
  }
  expect(await roots.locate('b.json')).toMatchObject({ path: join(workspace, 'other/b.json'), exists: true });
  expect(await roots.locate('new/c.json')).toMatchObject({ path: join(workspace, 'workflows/new/c.json'), exists: false });
});

test('refuses what leads outside', async () => {
  symlinkSync(join(workspace, 'outside'), join(workspace, 'workflows/door'));
  symlinkSync(join(workspace, 'outside/secret.json'), join(workspace, 'workflows/secret.json'));
  symlinkSync(join(workspace, 'outside/new.json'), join(workspace, 'workflows/dangling.json'));
  symlinkSync('loop.json', join(workspace, 'workflows/loop.json'));
  for (const written of [
    '../outside/secret.json',
    'sub/../../outside/secret.json',
    join(workspace, 'outside/secret.json'),
    join(workspace, 'workflows-evil/x.json'),
    '/etc/passwd',
    'door/secret.json',
    'door/new.json',
    'secret.json',
    'loop.json',
    'a.json\0.txt',
  ]) {
    await expect(roots.locate(written), written).rejects.toBeInstanceOf(Failure);
  }
});

test('a symlink that leads nowhere yet cannot be written through', async () => {
  symlinkSync(join(workspace, 'outside/new.json'), join(workspace, 'workflows/dangling.json'));
  const place = await roots.locate('dangling.json');
  expect(place.path).toBe(join(workspace, 'workflows/dangling.json'));
  expect(place.exists).toBe(false);
});

test('notices that a folder became a symlink meanwhile', async () => {
  writeFileSync(join(workspace, 'workflows/sub/c.json'), '{}');
  const place = await roots.locate('sub/c.json');
  rmSync(join(workspace, 'workflows/sub'), { recursive: true });
  symlinkSync(join(workspace, 'outside'), join(workspace, 'workflows/sub'));
  await expect(roots.confirm(place)).rejects.toMatchObject({ code: 'forbidden' });
});
