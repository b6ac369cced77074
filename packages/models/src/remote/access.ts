import { headerSecret } from '@millrace/http';
import { Failure } from '@millrace/kernel';
import { type ModelChoiceOf, type ModelEnvironment, PROVIDER_DEFAULTS, type RemoteProvider } from '../providers.ts';

/** Refuses, naming the variable, when something is missing that the provider cannot work without, or cannot be sent to it. */
export function requireAccess(choice: ModelChoiceOf<RemoteProvider>, environment: ModelEnvironment): void {
  const { title, required, secrets } = PROVIDER_DEFAULTS[choice.provider];
  for (const variable of secrets) headerSecret({ variable, value: environment[variable], from: 'your account with the provider' });
  for (const group of required) {
    if (group.some((name) => environment[name])) continue;
    if (choice.provider === 'openai' && choice.baseUrl) continue;
    const [variable] = group as [string];
    throw new Failure('unavailable', `${title} needs the environment variable ${group.join(' or ')}`, {
      details: { provider: choice.provider, variable },
      fix: { instruction: `Set ${variable} in the environment or in a .env file beside the configuration`, example: `${variable}=…` },
    });
  }
}

export function hasAccess(provider: RemoteProvider, environment: ModelEnvironment): boolean {
  return PROVIDER_DEFAULTS[provider].required.every((group) => group.some((name) => environment[name]));
}

export function baseUrlOf(choice: ModelChoiceOf<RemoteProvider>, environment: ModelEnvironment): string | undefined {
  return choice.baseUrl ?? environment[PROVIDER_DEFAULTS[choice.provider].baseUrlVariable];
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

export function askedModel(choice: ModelChoiceOf<RemoteProvider>, model: string, environment: ModelEnvironment): AskedModel {
  const { provider, settings = { model: 'model', baseUrl: 'baseUrl' } } = choice;
  const { baseUrlVariable } = PROVIDER_DEFAULTS[provider];
  const variable = environment[baseUrlVariable] ? baseUrlVariable : undefined;
  return {
    provider,
    model,
    isDefault: choice.model === undefined,
    modelSetting: settings.model,
    addressSetting: choice.baseUrl === undefined ? variable : settings.baseUrl,
  };
}

/** A setting that is left out rather than undefined. */
export function given<Key extends string>(key: Key, value: string | undefined): { [Name in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: string };
}
