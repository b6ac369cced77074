import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativePackage, PLATFORMS } from './natives.ts';

const root = join(import.meta.dirname, '../..');

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

export const { version } = read('packages/server/package.json') as { version: string };

const REPOSITORY = 'https://github.com/millrace/millrace';

/** The package.json that is published: no dependencies but our own compiled code, one package per platform. */
export function publishedManifest(): object {
  const { name, license, engines } = read('packages/server/package.json');
  const server = read('server.json');
  return {
    name,
    version,
    mcpName: server.name,
    description: server.description,
    keywords: ['mcp', 'mcp-server', 'model-context-protocol', 'n8n', 'flowise', 'rag', 'knowledge-graph', 'workflow', 'automation', 'todo'],
    license,
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
    type: 'module',
    engines,
    bin: { millrace: 'bin/millrace.js', flowrag: 'bin/flowrag.js', 'flowrag-mcp': 'bin/flowrag-mcp.js' },
    exports: { '.': './index.js', './package.json': './package.json' },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [nativePackage(platform), version])),
  };
}
