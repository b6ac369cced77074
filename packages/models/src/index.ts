export type { Embedder, EmbedKind, EmbedOptions } from './embedder.ts';
export type { GenerateOptions, Generation, Generator } from './generator.ts';
