import type { Settings } from '@millrace/kernel';
import { GENERATION_PROVIDERS, type GenerationChoice } from '@millrace/models';
import { z } from 'zod';
import type { Configuration } from '../configuration.ts';
import { resolveSettings } from './load.ts';

/** The language model: chosen explicitly, never guessed from a key that happens to be set. */
export const modelSettings = {
  schema: z.strictObject({
    provider: z
      .enum(GENERATION_PROVIDERS)
      .optional()
      .describe('The language model for the chat agent and for autonomous workflows; when unset, the chat manages todos by built-in rules'),
    model: z.string().min(1).optional().describe("The name of the model; the provider's default when unset"),
    baseUrl: z
      .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
      .optional()
      .describe('The address of your own endpoint, such as http://localhost:11434/v1'),
  }),
  environment: { provider: 'MILLRACE_MODEL_PROVIDER', model: 'MILLRACE_MODEL', baseUrl: 'MILLRACE_MODEL_URL' },
} satisfies Settings;

export function chosenModel({ environment, file }: Configuration): GenerationChoice | undefined {
  const { provider, model, baseUrl } = resolveSettings(modelSettings, { flags: {}, environment, file, section: 'models' });
  if (provider === undefined) return undefined;
  const settings = { model: modelSettings.environment.model, baseUrl: modelSettings.environment.baseUrl };
  return { provider, ...(model !== undefined && { model }), ...(baseUrl !== undefined && { baseUrl }), settings };
}
