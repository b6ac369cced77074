import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built-in contexts are: beside the source, or beside the bundle. */
export function libraryFolder(): string | undefined {
  const places = ['../library/', './library/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(place));
}

/** Where a build puts the vectors of the product's own texts. */
export function libraryVectors(): string | undefined {
  const folder = libraryFolder();
  return folder && join(folder, 'vectors.bin');
}
