import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nativePackage, PLATFORMS, writeNativePackage } from '../../scripts/release/natives.ts';
import { PACKAGE, ROOT } from '../harness/package.ts';
import { temporaryFolder } from '../harness/process.ts';

const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

describe('the published package', () => {
  test('depends on nothing but its own compiled code, and runs no script when it is installed', () => {
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('scripts');
    expect(Object.keys(manifest.optionalDependencies)).toEqual(PLATFORMS.map(nativePackage));
    expect(new Set(Object.values(manifest.optionalDependencies))).toEqual(new Set([manifest.version]));
  });

  test('names no path of the machine that built it', () => {
    const texts = globSync('**/*.{js,cjs,json,md,txt,yaml}', { cwd: PACKAGE });
    const traces = [ROOT, `${homedir()}/`];
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((path) => traces.some((trace) => readFileSync(join(PACKAGE, path), 'utf8').includes(trace)))).toEqual([]);
  });

  test('brings the licence of what it contains, the embedding model included', () => {
    const notices = readFileSync(join(PACKAGE, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['zod', 'kysely', 'better-sqlite3', '@modelcontextprotocol/server', 'all-MiniLM-L6-v2'])
      expect(notices).toContain(name);
    expect(existsSync(join(PACKAGE, 'LICENSE'))).toBe(true);
  });
});

test.each(PLATFORMS)('the compiled code for $target fits only that platform and brings its licences', (platform) => {
  using folder = temporaryFolder();
  writeNativePackage(platform, folder.path, '1.2.3');
  const files = readdirSync(folder.path);
  expect(files).toEqual(expect.arrayContaining(['better_sqlite3.node', 'LICENSE.better-sqlite3']));
  expect(files.includes('onnxruntime_binding.node')).toBe(platform.onnxruntime !== undefined);
  expect(files.includes('LICENSE.onnxruntime')).toBe(platform.onnxruntime !== undefined);
  const { os, cpu, libc, scripts } = JSON.parse(readFileSync(join(folder.path, 'package.json'), 'utf8'));
  expect({ os, cpu, libc, scripts }).toEqual({
    os: [platform.os],
    cpu: [platform.cpu],
    libc: platform.libc && [platform.libc],
    scripts: undefined,
  });
});
