import type { Tokenizer } from '@huggingface/tokenizers';
import type { Embedder, EmbedOptions } from '../model.ts';
import { findModel, type ModelChoice, type ModelFiles, weightsHash } from './model-files.ts';
import { type PoolOptions, SessionPool } from './session-pool.ts';

export type LocalOptions = ModelChoice & PoolOptions;

/** Finds the model's files and reads its small configuration; the weights wait for the first text. */
export async function openLocalEmbedder(options: LocalOptions): Promise<LocalEmbedder> {
  return new LocalEmbedder(await findModel(options), options);
}

export class LocalEmbedder implements Embedder {
  readonly provider = 'local';
  readonly model: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly #files: ModelFiles;
  readonly #options: PoolOptions;
  #pool: SessionPool | undefined;
  #tokenizer: Promise<Tokenizer> | undefined;
  #fingerprint: Promise<string> | undefined;

  constructor(files: ModelFiles, options: PoolOptions = {}) {
    this.#files = files;
    this.#options = options;
    this.model = files.name;
    this.dimensions = files.dimensions;
    this.maxTokens = files.maxTokens;
  }

  fingerprint(): Promise<string> {
    this.#fingerprint ??= weightsHash(this.#files);
    return this.#fingerprint;
  }

  async countTokens(text: string): Promise<number> {
    this.#tokenizer ??= import('./tokenizer.ts').then(({ readTokenizer }) => readTokenizer(this.#files.folder));
    return (await this.#tokenizer).encode(text).ids.length;
  }

  async embed(texts: readonly string[], { kind, signal }: EmbedOptions): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    await this.fingerprint();
    this.#pool ??= new SessionPool(this.#files, this.#options);
    const prefix = this.#files.prefix[kind];
    return this.#pool.embed(prefix ? texts.map((text) => prefix + text) : texts, kind === 'query', signal);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#pool = undefined;
  }
}
