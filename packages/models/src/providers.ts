import type { Embedding, Generating, Provider } from './provider.ts';
import { anthropic } from './providers/anthropic.ts';
import { bedrock } from './providers/bedrock.ts';
import { gemini } from './providers/gemini.ts';
import { openai } from './providers/openai.ts';

/** Every provider that is asked over the network. A further one is a file, and a word here. */
export const PROVIDERS = { gemini, bedrock, anthropic, openai } satisfies Record<string, Provider>;

export type RemoteProvider = keyof typeof PROVIDERS;
type Offering<Part> = { [Name in RemoteProvider]: (typeof PROVIDERS)[Name] extends Part ? Name : never }[RemoteProvider];

const names = Object.keys(PROVIDERS) as RemoteProvider[];

export type GenerationProvider = Offering<Generating>;
export const GENERATION_PROVIDERS = names.filter((name): name is GenerationProvider => 'languageModel' in PROVIDERS[name]);

export type RemoteEmbeddingProvider = Offering<Embedding>;
export type EmbeddingProvider = 'local' | RemoteEmbeddingProvider;
export const EMBEDDING_PROVIDERS: readonly EmbeddingProvider[] = [
  'local',
  ...names.filter((name): name is RemoteEmbeddingProvider => 'embeddingModel' in PROVIDERS[name]),
];

/** What is asked for in a configuration: a provider, and what differs from its defaults. */
export interface ModelChoiceOf<Name extends string> {
  provider: Name;
  model?: string;
  /** For endpoints of one's own. */
  baseUrl?: string;
  /** What people call these settings where they made the choice, for messages. */
  settings?: { model: string; baseUrl: string };
}

export type EmbeddingChoice = ModelChoiceOf<EmbeddingProvider> & { dimensions?: number };
export type GenerationChoice = ModelChoiceOf<GenerationProvider>;
