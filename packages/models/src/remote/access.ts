import { bufferedFetch, HttpClient, headerSecret, streamedFetch } from '@millrace/http';
import { Failure } from '@millrace/kernel';
import {
  type ModelChoiceOf,
  type ModelEnvironment,
  PROVIDERS,
  type Provider,
  type ProviderAccess,
  type RemoteProvider,
} from '../providers.ts';

type Choice = ModelChoiceOf<RemoteProvider>;

/** How long and how often a provider is asked. */
export interface Patience {
  /** For one attempt. */
  timeoutMs?: number;
  attempts?: number;
  /** The first wait; it doubles with each attempt. */
  waitMs?: number;
}

const LONGEST_WAIT_MS = 60_000;

/** Refuses, naming the variable, when something is missing that the provider cannot work without, or cannot be sent to it. */
export function requireAccess(choice: Choice, environment: ModelEnvironment): void {
  const { title, required, addressIsAccess, secrets }: Provider = PROVIDERS[choice.provider];
  for (const variable of secrets) headerSecret({ variable, value: environment[variable], from: 'your account with the provider' });
  const missing = required.find((group) => !group.some((name) => environment[name]));
  if (!missing || (addressIsAccess && choice.baseUrl)) return;
  const [variable] = missing;
  throw new Failure('unavailable', `${title} needs the environment variable ${missing.join(' or ')}`, {
    details: { provider: choice.provider, variable },
    fix: { instruction: `Set ${variable} in the environment or in a .env file beside the configuration`, example: `${variable}=…` },
  });
}

export function hasAccess(provider: RemoteProvider, environment: ModelEnvironment): boolean {
  return PROVIDERS[provider].required.every((group) => group.some((name) => environment[name]));
}

/** For embeddings and single answers: asking again changes nothing, so whatever may pass by itself is asked again. */
export function patientAccess(choice: Choice, environment: ModelEnvironment, patience: Patience): ProviderAccess {
  const { attempts = 4, waitMs = 500, timeoutMs = 60_000 } = patience;
  const pausesMs = Array.from({ length: attempts - 1 }, (_, index) => waitMs * 2 ** index);
  const client = new HttpClient({ retry: { pausesMs, longestWaitMs: LONGEST_WAIT_MS, repeatable: true } });
  return { environment, baseURL: baseUrlOf(choice, environment), fetch: bufferedFetch(client, { timeoutMs }) };
}

/** For conversations: words arrive as they are generated, and whoever leads the conversation decides about asking again. */
export function streamingAccess(choice: Choice, environment: ModelEnvironment): ProviderAccess {
  return { environment, baseURL: baseUrlOf(choice, environment), fetch: streamedFetch(new HttpClient()) };
}

function baseUrlOf(choice: Choice, environment: ModelEnvironment): string | undefined {
  return choice.baseUrl ?? environment[PROVIDERS[choice.provider].baseUrlVariable];
}

/** A model as it was chosen, with the settings to name when it gives trouble. */
export interface AskedModel {
  provider: RemoteProvider;
  model: string;
  isDefault: boolean;
  modelSetting: string;
  /** Undefined when the provider's own address is used. */
  addressSetting: string | undefined;
}

export function askedModel(choice: Choice, model: string, environment: ModelEnvironment): AskedModel {
  const { provider, settings = { model: 'model', baseUrl: 'baseUrl' } } = choice;
  const { baseUrlVariable } = PROVIDERS[provider];
  const variable = environment[baseUrlVariable] ? baseUrlVariable : undefined;
  return {
    provider,
    model,
    isDefault: choice.model === undefined,
    modelSetting: settings.model,
    addressSetting: choice.baseUrl === undefined ? variable : settings.baseUrl,
  };
}
