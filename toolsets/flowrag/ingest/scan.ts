import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { absent, Failure, isSystemError } from '@millrace/kernel';
import ignore, { type Ignore } from 'ignore';
import { kindOf, largestFile } from '../document/file-kinds.ts';

/** A file that may be indexed. */
export interface FoundFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  absolute: string;
  bytes: number;
  /** When content or properties last changed: unlike the time of modification it cannot be set back. */
  changedMs: number;
}

export interface SkippedFile {
  path: string;
  reason: string;
}

export interface Scan {
  files: FoundFile[];
  skipped: SkippedFile[];
}

const NEVER = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store']);

/** All documents below the root, in the order of their paths. Links are not followed: what they lead to is indexed where it is. */
export async function scanFolder(root: string, options: { exclude: readonly string[]; signal?: AbortSignal }): Promise<Scan> {
  await assertFolder(root);
  const scan: Scan = { files: [], skipped: [] };
  const excluded = new Set(options.exclude.map((path) => resolve(path)));
  await walk({ root, folder: root, rules: [], scan, excluded, signal: options.signal });
  scan.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return scan;
}

async function assertFolder(root: string): Promise<void> {
  const fix = { instruction: 'Set "docs" in flowrag.config.json, or start with --docs <folder>' };
  let found: Awaited<ReturnType<typeof stat>>;
  try {
    found = await stat(root);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const missing = error.code === 'ENOENT';
    throw new Failure(missing ? 'not_found' : 'unavailable', `The docs folder ${root} ${missing ? 'does not exist' : 'cannot be read'}`, {
      details: { docs: root },
      fix,
      cause: error,
    });
  }
  if (!found.isDirectory())
    throw new Failure('invalid_input', `The docs path ${root} is a file, not a folder`, { details: { docs: root }, fix });
}

interface Walk {
  root: string;
  folder: string;
  /** The ignore files from the root down to this folder. */
  rules: readonly { base: string; rules: Ignore }[];
  scan: Scan;
  excluded: ReadonlySet<string>;
  signal: AbortSignal | undefined;
}

async function walk(at: Walk): Promise<void> {
  at.signal?.throwIfAborted();
  const here = relativePath(at.root, at.folder);
  let entries: Dirent[];
  try {
    entries = await readdir(at.folder, { withFileTypes: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    at.scan.skipped.push({ path: here, reason: 'the folder cannot be read' });
    return;
  }
  const own = entries.some((entry) => entry.name === '.gitignore') ? await ignoreRules(at.folder) : undefined;
  const rules = own ? [...at.rules, { base: at.folder, rules: own }] : at.rules;
  for (const entry of entries) {
    const absolute = join(at.folder, entry.name);
    if (NEVER.has(entry.name) || at.excluded.has(absolute)) continue;
    if (isIgnored(absolute, entry.isDirectory(), rules)) continue;
    if (entry.isDirectory()) await walk({ ...at, folder: absolute, rules });
    else await visit(at, absolute, entry);
  }
}

async function visit({ root, scan }: Walk, absolute: string, entry: Dirent): Promise<void> {
  const path = relativePath(root, absolute);
  const kind = kindOf(path);
  if (entry.isSymbolicLink()) {
    if (kind) scan.skipped.push({ path, reason: 'it is a link; what it leads to is indexed where it is, if below the docs folder' });
    return;
  }
  if (!kind || !entry.isFile()) return;
  const { size, ctimeMs } = await lstat(absolute);
  const limit = largestFile(kind.format);
  if (size > limit) {
    scan.skipped.push({
      path,
      reason: `it has ${megabytes(size)}, more than the ${megabytes(limit)} that are read of a ${kind.format} file`,
    });
    return;
  }
  scan.files.push({ path, absolute, bytes: size, changedMs: ctimeMs });
}

async function ignoreRules(folder: string): Promise<Ignore | undefined> {
  const text = await readFile(join(folder, '.gitignore'), 'utf8').catch(absent);
  return text === undefined ? undefined : ignore().add(text);
}

function isIgnored(absolute: string, isFolder: boolean, rules: Walk['rules']): boolean {
  let ignored = false;
  for (const { base, rules: own } of rules) {
    const verdict = own.test(relativePath(base, absolute) + (isFolder ? '/' : ''));
    if (verdict.ignored) ignored = true;
    if (verdict.unignored) ignored = false;
  }
  return ignored;
}

function relativePath(root: string, absolute: string): string {
  return relative(root, absolute).split(sep).join('/');
}

/** To the byte: a file may exceed the limit by one. */
function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}
