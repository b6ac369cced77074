import type { z } from 'zod';

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
