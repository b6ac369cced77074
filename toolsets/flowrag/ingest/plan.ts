import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { isSystemError, type Progress } from '@millrace/kernel';
import { hashOf } from '../document/parse.ts';
import type { CollectionWriter } from '../store/writer.ts';
import type { IndexReport } from './report.ts';
import { type FoundFile, scanFolder } from './scan.ts';

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
    report.skipped.push({ path: file.path, reason: gone ? 'it went away while it was read' : 'it cannot be read: check its permissions' });
    return undefined;
  }
}
