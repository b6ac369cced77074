import { join } from 'node:path';
import manifest from './package.json' with { type: 'json' };

/** The version of n8n that this version of Millrace is tested with. */
export const PINNED_VERSION: string = manifest.version;

/** All packs of a home, one folder a version, side by side. */
export function enginesFolder(home: string): string {
  return join(home, 'engines');
}

export function packFolder(home: string, version: string): string {
  return join(enginesFolder(home), `n8n-${version}`);
}

/** Written last: a folder without it is no pack. */
export const MARKER = 'millrace-pack.json';

/** The node packages of a pack, as their folder in node_modules and as the prefix of their types. */
export const NODE_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'] as const;
