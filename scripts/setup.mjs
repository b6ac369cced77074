// Installs what is missing and builds what is out of date; does nothing when all is there. Runs on the Node of the machine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.millrace-setup');

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function pinnedNode() {
  return process.platform === 'win32' ? 'node' : join(root, 'node_modules', '.bin', 'node');
}

function installed() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockHash();
}

function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

if (!installed()) {
  process.stderr.write('Installing what Millrace needs (once, about a minute)...\n');
  // Not `npm ci`: it fails where a registry lacks the packages of some other platform. The lock file pins all versions just the same.
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, lockHash());
}

const bundle = join(root, 'dist', 'millrace.js');
const sources = ['packages', 'toolsets', 'bin', 'scripts'].map((folder) => newest(join(root, folder)));
if (!existsSync(bundle) || statSync(bundle).mtimeMs < Math.max(...sources)) {
  run(pinnedNode(), [join(root, 'scripts', 'build.ts')]);
}

// Tests run workflows in the n8n engine: it is kept outside of the checkout, so that only the first run waits for it.
if (process.argv.includes('--with-engine')) run(pinnedNode(), [join(root, 'scripts', 'n8n-pack.ts')]);
