import type { EmbeddingModel, LanguageModel } from 'ai';
import type { EmbedKind } from './model.ts';

/** Keys and addresses come from the environment, handed in; never from a configuration file. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/** What a provider's SDK is opened with. */
export interface ProviderAccess {
  environment: ModelEnvironment;
  /** Undefined when the provider's own address is used. */
  baseURL: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** A provider that has language models. */
export interface Generating {
  /** The default model. */
  generation: { model: string };
  languageModel(name: string, access: ProviderAccess): Promise<LanguageModel>;
}

/** A provider that has embedding models. */
export interface Embedding {
  /** The default model. */
  embedding: {
    model: string;
    dimensions: number;
    maxTokens: number;
    /** Texts in one request. */
    batch: number;
    /** Models other than the default have vectors of other lengths, which only they know. */
    dimensionsVary?: true;
  };
  embeddingModel(name: string, access: ProviderAccess): Promise<EmbeddingModel>;
  embeddingOptions(request: EmbeddingRequest): Record<string, Record<string, string | number | boolean>>;
}

export interface EmbeddingRequest {
  kind: EmbedKind;
  model: string;
  dimensions: number;
  /** Undefined when the length was learnt from the model itself. */
  askedDimensions: number | undefined;
}

/** Everything that is known about a provider; its SDK is imported when it is used. */
export interface Provider extends Partial<Generating>, Partial<Embedding> {
  title: string;
  /** The variables without which nothing works, any one of each group. */
  required: readonly (readonly [string, ...string[]])[];
  /** An address that was configured is access enough: endpoints of one's own may need no key. */
  addressIsAccess?: true;
  /** The variables that hold keys. */
  secrets: readonly string[];
  baseUrlVariable: string;
}

/** Settings of an SDK: what is undefined is left out. */
export function given<Name extends string>(settings: Record<Name, string | undefined>): { [Key in Name]?: string } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as { [Key in Name]?: string };
}
