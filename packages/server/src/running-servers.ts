import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '@millrace/kernel';
import { makeFolder } from '@millrace/storage';

const ANSWER_MS = 3_000;

/** Records in the home where a server listens, so that the doctor finds it on any port. Returns a function that removes the record. */
export function noteServer(home: string, url: string): () => void {
  const folder = folderIn(home);
  const path = join(folder, `${process.pid}.json`);
  makeFolder(folder, { mode: 0o700 });
  writeFileSync(path, JSON.stringify({ url }));
  return () => rmSync(path, { force: true });
}

/** The addresses of this home's servers that answer; records of killed servers are removed. */
export async function runningServers(home: string): Promise<string[]> {
  const running: string[] = [];
  for (const path of notesIn(home)) {
    const { url } = JSON.parse(readFileSync(path, 'utf8')) as { url: string };
    if (await isMillrace(url)) running.push(url);
    else rmSync(path, { force: true });
  }
  return running;
}

export async function isMillrace(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.headers.get('www-authenticate')?.includes('realm="millrace"') ?? false;
}

function folderIn(home: string): string {
  return join(home, 'servers');
}

function notesIn(home: string): string[] {
  try {
    return readdirSync(folderIn(home)).map((name) => join(folderIn(home), name));
  } catch (error) {
    // No home yet, or not a readable one: other checks report that.
    if (isSystemError(error)) return [];
    throw error;
  }
}
