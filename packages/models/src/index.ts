import type { Embedder } from './embedder.ts';
import type { Generator } from './generator.ts';
import type { LocalOptions } from './local/local-embedder.ts';
import type { EmbeddingChoice, GenerationChoice, ModelEnvironment } from './providers.ts';
import type { ChatModel } from './remote/chat-model.ts';
import type { Patience } from './remote/provider-fetch.ts';

export type { Embedder, EmbedKind, EmbedOptions } from './embedder.ts';
export type { GenerateOptions, Generation, Generator } from './generator.ts';
export type { LocalOptions } from './local/local-embedder.ts';
export {
  EMBEDDING_PROVIDERS,
  type EmbeddingChoice,
  type EmbeddingProvider,
  GENERATION_PROVIDERS,
  type GenerationChoice,
  type GenerationProvider,
  type ModelEnvironment,
  PROVIDER_DEFAULTS,
  type RemoteProvider,
} from './providers.ts';
export { hasAccess, requireAccess } from './remote/access.ts';
export type { ChatModel } from './remote/chat-model.ts';
export type { Patience } from './remote/provider-fetch.ts';

/** The local embedder: nothing of it is loaded before it is asked for, and its weights wait for the first text. */
export async function localEmbedder(options: LocalOptions): Promise<Embedder> {
  const { openLocalEmbedder } = await import('./local/local-embedder.ts');
  return openLocalEmbedder(options);
}

export interface EmbedderOptions extends Omit<LocalOptions, 'model'> {
  environment: ModelEnvironment;
  patience?: Patience;
}

/** The embedder that a configuration asks for. Only its own provider is loaded. */
export async function createEmbedder(choice: EmbeddingChoice, options: EmbedderOptions): Promise<Embedder> {
  const { environment, patience, ...local } = options;
  if (choice.provider === 'local') return localEmbedder({ ...local, ...(choice.model !== undefined && { model: choice.model }) });
  const { openRemoteEmbedder } = await import('./remote/remote-embedder.ts');
  return openRemoteEmbedder({ ...choice, provider: choice.provider }, environment, patience);
}

/** The generator that a configuration asks for. Only its own provider is loaded. */
export async function createGenerator(choice: GenerationChoice, environment: ModelEnvironment, patience?: Patience): Promise<Generator> {
  const { openRemoteGenerator } = await import('./remote/remote-generator.ts');
  return openRemoteGenerator(choice, environment, patience);
}

/** A language model for a tool loop. Only its own provider is loaded. */
export async function createLanguageModel(choice: GenerationChoice, environment: ModelEnvironment): Promise<ChatModel> {
  const { openChatModel } = await import('./remote/chat-model.ts');
  return openChatModel(choice, environment);
}
