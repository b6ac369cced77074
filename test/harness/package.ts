import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Product from '../../packages/server/src/index.ts';
import { bundleIsFresh } from '../../scripts/bundle-freshness.mjs';
import { installPackage } from '../../scripts/release/pack.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** For quick loops while developing: the sources in place of the installed package. */
const FROM_SOURCES = process.env.MILLRACE_TEST_SOURCES !== undefined;

/** Outside of the checkout, so that nothing is found in its node_modules by accident. */
const FOLDER = join(tmpdir(), `millrace-package-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}`);

/** The installed package: what users have in node_modules/millrace. */
export const PACKAGE = join(FOLDER, 'node_modules/millrace');

type Program = 'millrace' | 'flowrag' | 'flowrag-mcp';

/** The file that starts a program. */
export function launcher(program: Program): string {
  return FROM_SOURCES ? join(ROOT, `packages/server/src/${program}.ts`) : join(PACKAGE, `bin/${program}.js`);
}

export const LAUNCHER = launcher('millrace');

/** The package as a library: what runs is the bundle. */
export function product(): Promise<typeof Product> {
  const entry = FROM_SOURCES ? join(ROOT, 'packages/server/src/index.ts') : join(PACKAGE, 'index.js');
  return import(pathToFileURL(entry).href);
}

/** Before the first test: builds what is out of date, and installs it as users do. */
export function setup(): void {
  if (FROM_SOURCES) return;
  if (!bundleIsFresh()) execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' });
  installPackage(FOLDER, String(statSync(join(ROOT, 'dist/millrace.js')).mtimeMs));
}
