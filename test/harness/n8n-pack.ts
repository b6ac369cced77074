import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPack, type Pack } from '../../toolsets/n8n/pack/index.ts';
import { MARKER, PINNED_VERSION, packFolder } from '../../toolsets/n8n/pack/places.ts';

/** A folder outside of every checkout, shared by all of them, for what is installed once. */
export function sharedCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'millrace');
}

/** The home whose n8n pack tests use, or undefined (said aloud) where it could not be installed. */
export function sharedPackHome(): string | undefined {
  const home = sharedCache();
  if (existsSync(join(packFolder(home, PINNED_VERSION), MARKER))) return home;
  process.stderr.write(`skipped: the n8n ${PINNED_VERSION} engine pack is not in ${home} (node scripts/n8n-pack.ts brings it)\n`);
  return undefined;
}

const silent = () => {};
const surroundings = { clock: { now: () => new Date() }, log: { debug: silent, info: silent, warn: silent, error: silent } };
let opened: Pack | undefined;

/** What there is on a machine where nothing was installed. */
export function emptyPack(): Pack {
  return openPack({ home: join(tmpdir(), 'no-home-of-millrace'), ...surroundings });
}

/** One pack for all tests of a file, so that its engine stays warm; toolsets that close it do not end it. */
export function sharedPack(): Pack {
  opened ??= openPack({ home: sharedCache(), ...surroundings });
  return { ...opened, close: async () => {} };
}

/** For the end of a test file. */
export async function closeSharedPack(): Promise<void> {
  await opened?.close();
  opened = undefined;
}
