/**
 * Regenerates toolsets/n8n/catalogue/pack/package-lock.json: npm resolves everything, then packages that the engine never loads are removed from the
 * lock, so that `npm ci` installs a fraction of it. Run it after changing the versions in toolsets/n8n/catalogue/pack/package.json.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface LockEntry {
  version?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
}

interface Lock {
  packages: Record<string, LockEntry>;
  [key: string]: unknown;
}

interface Lean {
  resolvedBefore: string;
  withoutDependencies: string[];
  leftOut: string[];
}

const folder = new URL('../toolsets/n8n/catalogue/pack/', import.meta.url);
const KEPT_FIELDS = new Set([
  'version',
  'integrity',
  'dependencies',
  'optionalDependencies',
  'bin',
  'engines',
  'os',
  'cpu',
  'libc',
  'optional',
]);

const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { lean: Lean };
const lock = lean(resolve(), manifest.lean);
writeFileSync(new URL('package-lock.json', folder), `${JSON.stringify(lock, null, 2)}\n`);
process.stderr.write(`${Object.keys(lock.packages).length - 1} packages\n`);

function resolve(): Lock {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  try {
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    const options = ['--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options, `--before=${manifest.lean.resolvedBefore}`], { cwd: directory, stdio: 'inherit' });
    return JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as Lock;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function lean(resolved: Lock, rules: Lean): Lock {
  const leftOut = new Set(rules.leftOut);
  const packages = structuredClone(resolved.packages);
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '') continue;
    for (const field of Object.keys(entry)) if (!KEPT_FIELDS.has(field)) delete entry[field];
    for (const kind of ['dependencies', 'optionalDependencies'] as const) {
      const wanted = Object.entries(entry[kind] ?? {}).filter(([name]) => !leftOut.has(name) && !name.startsWith('@types/'));
      if (wanted.length > 0 && !rules.withoutDependencies.includes(nameOf(path))) entry[kind] = Object.fromEntries(wanted);
      else delete entry[kind];
    }
  }
  return { ...resolved, packages: reachable(packages) };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function reachable(packages: Lock['packages']): Lock['packages'] {
  const seen = new Set(['']);
  const queue = [''];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const entry = packages[path] as LockEntry;
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const found = located(packages, path, name);
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      queue.push(found);
    }
  }
  return Object.fromEntries(Object.entries(packages).filter(([path]) => seen.has(path)));
}

/** Where Node would find a dependency of the package at this path. */
function located(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (packages[path]) return path;
    if (base === '') return undefined;
  }
}
