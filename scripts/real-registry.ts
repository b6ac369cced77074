// What test/real/registry.test.ts needs besides the release: a real npm registry and older versions of Node.
// Each is installed once, outside the checkout: node scripts/real-registry.ts
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedCache } from '../test/harness/n8n-pack.ts';

interface Tool {
  name: string;
  version: string;
  overrides?: Record<string, string>;
}

// It requires node-fetch by the tag "cjs", which registry mirrors do not keep.
const VERDACCIO: Tool = { name: 'verdaccio', version: '6.10.4', overrides: { 'node-fetch': '2.6.7' } };

/** The oldest Node that Millrace runs on, and one that is too old. */
export const OLDEST_NODE = '22.18.0';
export const TOO_OLD_NODE = '20.20.2';

const node = (version: string): Tool => ({
  name: process.platform === 'win32' ? `node-win-${process.arch}` : `node-${process.platform}-${process.arch}`,
  version,
});

function folderOf({ name, version }: Tool): string {
  return join(sharedCache(), 'release-tools', `${name}-${version}`);
}

export function verdaccioEntry(): string {
  return join(folderOf(VERDACCIO), 'node_modules/verdaccio/build/index.js');
}

export function nodeProgram(version: string): string {
  const tool = node(version);
  return join(folderOf(tool), 'node_modules', tool.name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

export async function installRealRegistry(say: (text: string) => void): Promise<void> {
  for (const tool of [VERDACCIO, node(OLDEST_NODE), node(TOO_OLD_NODE)]) {
    const folder = folderOf(tool);
    if (existsSync(folder)) continue;
    say(`Installing ${tool.name} ${tool.version} for the tests into ${folder} (once)`);
    await install(tool, folder);
  }
}

/** Under another name until it is complete, so that an interrupted install never looks finished. */
async function install({ name, version, overrides }: Tool, folder: string): Promise<void> {
  const work = `${folder}.${process.pid}`;
  await mkdir(work, { recursive: true });
  await writeFile(join(work, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version }, overrides }));
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: work });
  await rename(work, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(work, { recursive: true, force: true });
  });
}

if (import.meta.main) await installRealRegistry((text) => void process.stderr.write(`${text}\n`));
