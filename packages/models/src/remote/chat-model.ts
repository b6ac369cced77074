import type { Failure } from '@millrace/kernel';
import type { LanguageModel } from 'ai';
import { type GenerationChoice, type ModelEnvironment, PROVIDER_DEFAULTS } from '../providers.ts';
import { requireAccess } from './access.ts';
import { callErrorOf, failureOf, mayWorkLater, retryAfterMs } from './attempts.ts';
import { languageModel } from './remote-generator.ts';

/** A language model for a loop of one's own, with our words for what its provider may say. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** What went wrong, in our words, and whether and when trying again may help. */
  explain(error: unknown, timedOut: boolean): { failure: Failure; again: boolean; waitMs?: number };
}

export async function openChatModel(choice: GenerationChoice, environment: ModelEnvironment): Promise<ChatModel> {
  requireAccess(choice, environment);
  const { provider } = choice;
  const name = choice.model ?? (PROVIDER_DEFAULTS[provider].generation as { model: string }).model;
  return {
    provider,
    name,
    model: await languageModel(choice, name, environment),
    explain(error, timedOut) {
      const call = callErrorOf(error);
      const waitMs = retryAfterMs(call);
      return {
        failure: failureOf({ provider, model: name }, call, timedOut, error),
        again: mayWorkLater(call, timedOut, error),
        ...(waitMs !== undefined && { waitMs }),
      };
    },
  };
}
