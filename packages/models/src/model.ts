import type { z } from 'zod';

/** Some models embed a question differently from the passages it is compared with. */
export type EmbedKind = 'query' | 'passage';

export interface EmbedOptions {
  kind: EmbedKind;
  signal?: AbortSignal;
}

/** Turns texts into unit vectors. A model is loaded when it is first used. */
export interface Embedder {
  provider: string;
  model: string;
  dimensions: number;
  /** Identifies the weights, so that an index knows which ones made it. */
  fingerprint(): Promise<string>;
  /** How many tokens of a text the model reads. */
  maxTokens: number;
  countTokens(text: string): Promise<number>;
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export interface GenerateOptions<Output> {
  system: string;
  prompt: string;
  /** The answer is parsed against it; an answer that does not fit is retried once, then a Failure. */
  schema: z.ZodType<Output>;
  signal?: AbortSignal;
}

export interface Generation<Output> {
  value: Output;
  tokens: { input: number; output: number };
}

/** A language model that answers in a given shape. */
export interface Generator {
  provider: string;
  model: string;
  generate<Output>(options: GenerateOptions<Output>): Promise<Generation<Output>>;
}
