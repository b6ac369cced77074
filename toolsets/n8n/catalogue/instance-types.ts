import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@millrace/kernel';
import { enginesFolder } from '../pack/places.ts';
import { instanceUrl } from '../remote/address.ts';
import { catalogueOf, type PackageTypes, writeCatalogue } from './build.ts';
import type { TypeDescription } from './description.ts';
import { INDEX_FILE } from './format.ts';
import { packageOf } from './type-store.ts';

/** Somebody who may sign in to an instance: its list of nodes is not part of the public API. */
export interface InstanceLogin {
  url: string;
  email: string;
  password: string;
}

const FRESH_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 60_000;

/** The folder with the catalogue of an instance's nodes, fetched when there is none of today. */
export async function instanceCatalogue(home: string, login: InstanceLogin, now: Date): Promise<string> {
  const url = instanceUrl(login.url);
  const folder = join(enginesFolder(home), `instance-${createHash('sha256').update(url).digest('hex').slice(0, 12)}`);
  const written = await stat(join(folder, INDEX_FILE)).catch(() => undefined);
  if (written && now.getTime() - written.mtimeMs < FRESH_MS) return folder;
  try {
    const types = await fetchTypes(url, login);
    await mkdir(folder, { recursive: true });
    await writeCatalogue(folder, catalogueOf(byPackage(types), 'instance', { complete: true }));
  } catch (error) {
    // Yesterday's nodes are better than none.
    if (!written) throw error;
  }
  return folder;
}

async function fetchTypes(url: string, { email, password }: InstanceLogin): Promise<TypeDescription[]> {
  const signIn = await request(`${url}/rest/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'browser-id': 'millrace' },
    body: JSON.stringify({ emailOrLdapLoginId: email, email, password }),
  });
  await signIn.body?.cancel();
  if (!signIn.ok) throw refused(url, 'does not let N8N_EMAIL sign in', signIn.status);
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const reply = await request(`${url}/types/nodes.json`, { headers: { Cookie: cookie, 'browser-id': 'millrace' } });
  const types: unknown = reply.ok ? await reply.json().catch(() => undefined) : undefined;
  if (!Array.isArray(types)) throw refused(url, 'does not give the list of its nodes', reply.status);
  return types.filter((type): type is TypeDescription => typeof type?.name === 'string' && Array.isArray(type?.properties));
}

async function request(url: string, options: RequestInit): Promise<Response> {
  return fetch(url, { ...options, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw new Failure('unavailable', `The n8n instance at ${new URL(url).origin} cannot be reached`, { cause: error });
  });
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
