import { createHash } from 'node:crypto';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { absent } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';

/** Containers may share a folder for temporary files, but not their processes. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const PREFIX = `millrace-engine-${MACHINE}-`;

/** A folder for one process of the engine, named after the server that it belongs to. */
export async function processFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)));
}

/** Removes the leftovers of killed servers: folders whose server is gone. */
export async function sweepProcessFolders(): Promise<void> {
  const names = (await readdir(tmpdir()).catch(absent)) ?? [];
  const left = names.filter((name) => {
    const server = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    return Number.isInteger(server) && server > 0 && !isRunning(server);
  });
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(absent)));
}
