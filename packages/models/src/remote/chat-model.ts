import type { LanguageModel } from 'ai';
import { type GenerationChoice, type ModelEnvironment, PROVIDER_DEFAULTS } from '../providers.ts';
import { askedModel, requireAccess } from './access.ts';
import { type ModelTrouble, modelTrouble } from './model-failures.ts';
import { streamingFetch } from './provider-fetch.ts';
import { languageModel } from './remote-generator.ts';

/** A language model for a loop of one's own, with our words for what its provider may say. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** Undefined for what is not the provider's doing, and so a bug. */
  explain(error: unknown): ModelTrouble | undefined;
}

export async function openChatModel(choice: GenerationChoice, environment: ModelEnvironment): Promise<ChatModel> {
  requireAccess(choice, environment);
  const { provider } = choice;
  const name = choice.model ?? (PROVIDER_DEFAULTS[provider].generation as { model: string }).model;
  const asked = askedModel(choice, name, environment);
  return {
    provider,
    name,
    model: await languageModel(choice, name, environment, streamingFetch()),
    explain: (error) => modelTrouble(asked, error),
  };
}
