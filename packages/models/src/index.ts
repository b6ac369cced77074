export type { Embedder, EmbedKind, EmbedOptions } from './embedder.ts';
export type { GenerateOptions, Generation, Generator } from './generator.ts';
export type { LocalOptions } from './local/local-embedder.ts';

import type { Embedder } from './embedder.ts';
import type { LocalOptions } from './local/local-embedder.ts';

/** The local embedder: nothing of it is loaded before it is asked for, and its weights wait for the first text. */
export async function localEmbedder(options: LocalOptions): Promise<Embedder> {
  const { openLocalEmbedder } = await import('./local/local-embedder.ts');
  return openLocalEmbedder(options);
}
