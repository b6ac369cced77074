import { Failure } from '@millrace/kernel';
import { type ModelChoiceOf, type ModelEnvironment, PROVIDER_DEFAULTS, type RemoteProvider } from '../providers.ts';

/** Refuses, naming the variable, when something is missing that the provider cannot work without. */
export function requireAccess(choice: ModelChoiceOf<RemoteProvider>, environment: ModelEnvironment): void {
  const { title, required } = PROVIDER_DEFAULTS[choice.provider];
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

/** A setting that is left out rather than undefined. */
export function given<Key extends string>(key: Key, value: string | undefined): { [Name in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: string };
}
