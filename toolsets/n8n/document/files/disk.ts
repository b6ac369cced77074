import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { absent, Failure, isSystemError } from '@millrace/kernel';
import { MAX_FILE_BYTES } from '../workflow/document.ts';
import type { Place, Roots } from './roots.ts';

/** Shows whether a file is still the one that was read. */
export interface Stamp {
  mtimeNs: bigint;
  size: bigint;
  ino: bigint;
  mode: number;
}

export interface ReadFile {
  bytes: Buffer;
  stamp: Stamp;
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino;
}

export function stampOf(stats: BigIntStats): Stamp {
  return { mtimeNs: stats.mtimeNs, size: stats.size, ino: stats.ino, mode: Number(stats.mode) & 0o7777 };
}

/** Reads a regular file, but not a symlink that replaced it after it was located. */
export async function readPlace(roots: Roots, place: Place): Promise<ReadFile> {
  const handle = await openRegular(place);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new Failure('conflict', `${place.shown} is not a file`, { details: { path: place.shown } });
    if (stats.size > MAX_FILE_BYTES) throw tooLarge(place, Number(stats.size));
    await roots.confirm(place);
    const bytes = await handle.readFile();
    return { bytes, stamp: stampOf(await handle.stat({ bigint: true })) };
  } finally {
    await handle.close();
  }
}

async function openRegular(place: Place): Promise<FileHandle> {
  try {
    return await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code } = error;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new Failure('not_found', `There is no file ${place.shown}`, { details: { path: place.shown } });
    if (code === 'EISDIR') throw new Failure('conflict', `${place.shown} is a folder`, { details: { path: place.shown } });
    throw new Failure('unavailable', `${place.shown} cannot be read`, {
      details: { path: place.shown, reason: code ?? 'unknown' },
      cause: error,
    });
  }
}

function tooLarge(place: Place, bytes: number): Failure {
  const megabytes = (count: number) => `${Math.round(count / 1024 / 1024)} MB`;
  return new Failure(
    'conflict',
    `${place.shown} is too large for a workflow: ${megabytes(bytes)}, and at most ${megabytes(MAX_FILE_BYTES)} are read`,
    {
      details: { path: place.shown, bytes, reason: 'size' },
      fix: { instruction: 'Remove pinned data or embedded files from the workflow' },
    },
  );
}

/** Replaces a file's content, all or nothing; false when the file is no longer the one that was read. */
export async function replaceFile(roots: Roots, place: Place, bytes: Buffer, read: Stamp): Promise<boolean> {
  const temporary = await writeTemporary(place, bytes, read.mode);
  try {
    await roots.confirm(place);
    const now = await lstat(place.path, { bigint: true }).catch(absent);
    if (!now?.isFile() || !sameStamp(stampOf(now), read)) return false;
    await rename(temporary, place.path);
    await syncFolder(dirname(place.path));
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Creates a new file; false when something already exists there. */
export async function createFile(roots: Roots, place: Place, bytes: Buffer): Promise<boolean> {
  await mkdir(dirname(place.path), { recursive: true });
  const temporary = await writeTemporary(place, bytes, undefined);
  try {
    await roots.confirm(place);
    await link(temporary, place.path);
    await syncFolder(dirname(place.path));
    return true;
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Deletes a file; false when it is no longer the one that was read. */
export async function removeFile(roots: Roots, place: Place, read: Stamp): Promise<boolean> {
  await roots.confirm(place);
  const now = await lstat(place.path, { bigint: true }).catch(absent);
  if (!now?.isFile() || !sameStamp(stampOf(now), read)) return false;
  await rm(place.path);
  await syncFolder(dirname(place.path));
  return true;
}

/** The name is fixed: the file of a killed process is overwritten by the next one, which holds the lock. */
async function writeTemporary(place: Place, bytes: Buffer, mode: number | undefined): Promise<string> {
  const path = join(dirname(place.path), `.${basename(place.path)}.tmp`);
  await rm(path, { force: true });
  const handle = await open(path, 'wx');
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return path;
}

/** Makes the new name survive a power cut. Folders cannot be opened everywhere. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(absent);
  await handle?.sync().catch(absent);
  await handle?.close();
}
