/** Some models embed a question differently from what it is searched in. */
export type EmbedKind = 'query' | 'passage';

export interface EmbedOptions {
  kind: EmbedKind;
  signal?: AbortSignal;
}

/** Turns texts into unit vectors. Loading a model waits for its first use. */
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
