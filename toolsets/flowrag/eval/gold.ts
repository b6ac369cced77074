import { posix } from 'node:path';
import { plainName } from '../retrieval/plain-name.ts';

interface Named {
  path: string;
  title: string;
}

/** Which gold entries a document answers to: by its path, the end of its path, its file name or its title. */
export function goldMatches({ path, title }: Named, gold: readonly string[]): number[] {
  const base = posix.basename(path);
  const names = new Set([path, base, withoutExtension(base), withoutExtension(path)].map((name) => name.toLowerCase()));
  const plain = new Set([plainName(title), plainName(withoutExtension(base))]);
  return gold.flatMap((entry, index) => {
    const wanted = entry
      .replaceAll('\\', '/')
      .replace(/^\.?\//, '')
      .toLowerCase();
    const matches = names.has(wanted) || (wanted.includes('/') && path.toLowerCase().endsWith(`/${wanted}`)) || plain.has(plainName(entry));
    return matches ? [index] : [];
  });
}

function withoutExtension(name: string): string {
  return name.replace(/(.)\.[^./]+$/, '$1');
}
