import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { absent, Failure, isSystemError, type Progress } from '@millrace/kernel';
import ignore, { type Ignore } from 'ignore';
import { kindOf, largestFile } from '../document/file-kinds.ts';
import { hashOf } from '../document/parse.ts';
import type { CollectionWriter } from '../store/writer.ts';
import type { IndexReport } from './report.ts';

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

const CLOSED = 'it cannot be read: check its permissions';
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
  // Names as bytes: read as text, a name that is not UTF-8 would be that of no file, or of another one.
  const reading = readdir(at.folder, { withFileTypes: true, encoding: 'buffer' });
  const entries = await unlessGone(reading, at, at.folder, 'the folder cannot be read');
  if (!entries) return;
  const own = entries.some((entry) => entry.name.toString() === '.gitignore') ? await ignoreRules(at.folder) : undefined;
  const rules = own ? [...at.rules, { base: at.folder, rules: own }] : at.rules;
  for (const entry of entries) {
    const name = entry.name.toString();
    const absolute = join(at.folder, name);
    if (NEVER.has(name) || at.excluded.has(absolute)) continue;
    if (isIgnored(absolute, entry.isDirectory(), rules)) continue;
    if (!isUtf8(entry.name)) {
      if (entry.isDirectory() || kindOf(name)) skip(at, absolute, 'its name is not valid UTF-8: rename it');
    } else if (entry.isDirectory()) await walk({ ...at, folder: absolute, rules });
    else await visit(at, absolute, entry);
  }
}

async function visit(at: Walk, absolute: string, entry: Dirent<Buffer>): Promise<void> {
  const kind = kindOf(entry.name.toString());
  if (entry.isSymbolicLink()) {
    if (kind || (await stat(absolute).catch(absent))?.isDirectory())
      skip(at, absolute, 'it is a link; what it leads to is indexed where it is, if below the docs folder');
    return;
  }
  if (!entry.isFile()) return skip(at, absolute, 'it is neither a file nor a folder');
  if (!kind) return;
  const found = await unlessGone(lstat(absolute), at, absolute, CLOSED);
  if (!found) return;
  const limit = largestFile(kind.format);
  if (found.size > limit) {
    const sizes = `${megabytes(found.size)}, more than the ${megabytes(limit)}`;
    return skip(at, absolute, `it has ${sizes} that are read of a ${kind.format} file`);
  }
  at.scan.files.push({ path: relativePath(at.root, absolute), absolute, bytes: found.size, changedMs: found.ctimeMs });
}

function skip({ root, scan }: Walk, absolute: string, reason: string): void {
  scan.skipped.push({ path: relativePath(root, absolute), reason });
}

/** What went away since its name was read is simply not there any more; what cannot be read for another reason is skipped. */
async function unlessGone<Found>(reading: Promise<Found>, at: Walk, absolute: string, reason: string): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code !== 'ENOENT') skip(at, absolute, reason);
    return undefined;
  }
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

/** Rounded up: a file that exceeds the limit by one byte is still shown as larger. */
function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 100_000) / 10} MB`;
}

export interface IndexRequest {
  root: string;
  /** Folders below the root that are not documents, such as the data directory. */
  exclude: readonly string[];
  force: boolean;
  /** Only says what would change. */
  dryRun: boolean;
  signal: AbortSignal;
  progress: Progress;
  /** Runs everything that changes the collection; a run that is refused or only planned never calls it. */
  recorded<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface Plan {
  work: FoundFile[];
  report: IndexReport;
  /** How many documents the collection holds before the run. */
  documents: number;
}

/** A file that changed this shortly before it was read may have changed again within the same tick of the clock. */
const JUST_NOW_MS = 2_000;

export interface Planning {
  writer: CollectionWriter;
  /** Identifies what makes the contributions of a document, besides its content. */
  stamp: string;
  now(): Date;
}

/** Compares the folder with the collection: which files to index, and which documents are gone. */
export async function planRun({ writer, stamp, now }: Planning, request: IndexRequest): Promise<Plan> {
  const { root, exclude, force, signal, dryRun } = request;
  const { files, skipped } = await scanFolder(root, { exclude, signal });
  const known = await writer.files();
  const report: IndexReport = { added: [], changed: [], removed: [], unchanged: 0, stale: 0, skipped };
  const work: FoundFile[] = [];
  const present = new Set(skipped.map((file) => file.path));
  const leave = (madeWith: string) => {
    report.unchanged++;
    if (madeWith !== stamp) report.stale++;
  };
  /** The time to remember for a file: none while it is too fresh to be trusted. */
  const trusted = (changedMs: number) => (now().getTime() - changedMs > JUST_NOW_MS ? changedMs : 0);
  for (const [index, file] of files.entries()) {
    if (index % 50 === 0) await turn();
    signal.throwIfAborted();
    present.add(file.path);
    const before = known.get(file.path);
    if (before && !force) {
      if (before.bytes === file.bytes && before.modifiedMs === file.changedMs) {
        leave(before.stamp);
        continue;
      }
      const bytes = await readBytes(file, report);
      if (!bytes) continue;
      if (before.hash === hashOf(bytes)) {
        leave(before.stamp);
        if (!dryRun) await writer.seen(file.path, trusted(file.changedMs));
        continue;
      }
    }
    (before ? report.changed : report.added).push(file.path);
    work.push({ ...file, changedMs: trusted(file.changedMs) });
  }
  report.removed = [...known.keys()].filter((path) => !present.has(path)).sort();
  return { work, report, documents: known.size };
}

/** The file's bytes; one that cannot be read is reported as skipped. */
export async function readBytes(file: FoundFile, report: IndexReport): Promise<Buffer | undefined> {
  try {
    return await readFile(file.absolute);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const gone = error.code === 'ENOENT';
    report.skipped.push({ path: file.path, reason: gone ? 'it went away while it was read' : CLOSED });
    return undefined;
  }
}
