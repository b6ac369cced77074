import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absent, Failure, jsonIn, type Log } from '@millrace/kernel';
import { enginesFolder } from '../catalogue/pack/installed.ts';
import { catalogueOf, type PackageTypes, writeCatalogue } from '../catalogue/types/build.ts';
import type { TypeDescription } from '../catalogue/types/description.ts';
import { INDEX_FILE, packageOf } from '../catalogue/types/type-store.ts';
import type { Instance, Login } from './instance.ts';

const FRESH_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 60_000;

/** The folder with the catalogue of an instance's nodes, fetched when there is none of today. */
export async function instanceCatalogue(home: string, instance: Instance, login: Login, now: Date, log: Log): Promise<string> {
  const folder = join(enginesFolder(home), `instance-${createHash('sha256').update(instance.url).digest('hex').slice(0, 12)}`);
  const written = await stat(join(folder, INDEX_FILE)).catch(absent);
  if (written && now.getTime() - written.mtimeMs < FRESH_MS) return folder;
  try {
    const types = await fetchTypes(instance, login);
    await mkdir(folder, { recursive: true });
    await writeCatalogue(folder, catalogueOf(byPackage(types), 'instance', { complete: true }));
  } catch (error) {
    if (!written || !(error instanceof Failure)) throw error;
    log.warn({ err: error }, "the instance's nodes could not be read again, so those of an earlier day are used");
  }
  return folder;
}

/** An instance's list of nodes is not part of its public API: one must sign in. */
async function fetchTypes(instance: Instance, login: Login): Promise<TypeDescription[]> {
  const signIn = await instance.signIn(login, { timeoutMs: TIMEOUT_MS });
  if (!signIn.ok) throw refused(instance.url, 'does not let N8N_EMAIL sign in', signIn.status);
  const headers = { cookie: signIn.cookies, 'browser-id': 'millrace' };
  const reply = await instance.send({ method: 'GET', path: '/types/nodes.json', headers, timeoutMs: TIMEOUT_MS });
  const types = reply.ok ? jsonIn(reply.text) : undefined;
  if (!Array.isArray(types)) throw refused(instance.url, 'does not give the list of its nodes', reply.status);
  return types.filter((type): type is TypeDescription => typeof type?.name === 'string' && Array.isArray(type?.properties));
}

function refused(url: string, what: string, status: number): Failure {
  return new Failure('unavailable', `The n8n instance at ${url} ${what} (status ${status})`, { details: { url, status } });
}

/** An instance names its types with their packages, and has made the tool variants already. */
function byPackage(types: TypeDescription[]): PackageTypes[] {
  const named = types.filter((type) => type.name.includes('.'));
  return [...Map.groupBy(named, (type) => packageOf(type.name))].map(([name, own]) => ({
    package: name,
    types: own.map((type) => ({ ...type, name: type.name.slice(name.length + 1) })),
  }));
}
