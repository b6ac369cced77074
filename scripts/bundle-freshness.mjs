// Whether dist/ is newer than everything it is made from. Runs on the machine's own Node.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function newest(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const entries = readdirSync(path).filter(
    (name) => name !== 'node_modules' && name !== 'dist' && name !== 'testing' && !name.endsWith('.test.ts'),
  );
  return Math.max(0, ...entries.map((name) => newest(join(path, name))));
}

export function bundleIsFresh() {
  const last = join(root, 'dist', 'library', 'vectors.bin');
  const sources = ['packages', 'toolsets', 'bin', 'scripts/build.ts', 'scripts/release', 'docs', 'server.json', 'package-lock.json'];
  return existsSync(last) && statSync(last).mtimeMs >= Math.max(...sources.map((name) => newest(join(root, name))));
}
