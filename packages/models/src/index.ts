import type { LocalOptions } from './local/local-embedder.ts';
import type { Embedder, Generator } from './model.ts';
import type { EmbeddingChoice, GenerationChoice, ModelEnvironment } from './providers.ts';
import type { Patience } from './remote/access.ts';
import type { ChatModel } from './remote/generator.ts';

export type { LocalOptions } from './local/local-embedder.ts';
export type { Embedder, EmbedKind, EmbedOptions, GenerateOptions, Generation, Generator } from './model.ts';
export {
  EMBEDDING_PROVIDERS,
  type EmbeddingChoice,
  type EmbeddingProvider,
  GENERATION_PROVIDERS,
  type GenerationChoice,
  type GenerationProvider,
  type ModelEnvironment,
  PROVIDERS,
  type RemoteProvider,
} from './providers.ts';
export { hasAccess, type Patience, requireAccess } from './remote/access.ts';
export type { ChatModel } from './remote/generator.ts';

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
  const { openRemoteEmbedder } = await import('./remote/embedder.ts');
  return openRemoteEmbedder({ ...choice, provider: choice.provider }, environment, patience);
}

/** The generator that a configuration asks for. Only its own provider is loaded. */
export async function createGenerator(choice: GenerationChoice, environment: ModelEnvironment, patience?: Patience): Promise<Generator> {
  const { openRemoteGenerator } = await import('./remote/generator.ts');
  return openRemoteGenerator(choice, environment, patience);
}

/** A language model for a tool loop. Only its own provider is loaded. */
export async function createLanguageModel(choice: GenerationChoice, environment: ModelEnvironment): Promise<ChatModel> {
  const { openChatModel } = await import('./remote/generator.ts');
  return openChatModel(choice, environment);
}
