import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MARKER, PINNED_VERSION, packFolder } from '../../toolsets/n8n/catalogue/pack/installed.ts';

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
