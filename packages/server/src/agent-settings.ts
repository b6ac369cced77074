import type { Settings } from '@millrace/kernel';
import { GENERATION_PROVIDERS, type GenerationChoice } from '@millrace/models';
import { z } from 'zod';
import { resolveSettings } from './config/load.ts';
import { chosenModel } from './config/models.ts';
import type { Configuration } from './configuration.ts';

const PROVIDERS = ['rules', ...GENERATION_PROVIDERS] as const;

/** What can be said about the chat agent. Keys come from the environment alone, by the names of their providers. */
export const agentSettings = {
  schema: z.strictObject({
    provider: z
      .enum(PROVIDERS)
      .optional()
      .describe('The language model of the chat agent; the one of models when unset. rules needs no key and keeps todos only'),
    model: z.string().min(1).optional().describe("The name of that model; the provider's default when unset"),
    baseUrl: z.url().optional().describe('The address of an endpoint of your own'),
    maxSteps: z
      .number()
      .int()
      .min(2)
      .max(100)
      .default(16)
      .describe('How often the agent may call tools and think again before it must answer'),
    timeoutSeconds: z.number().int().min(1).max(600).default(60).describe('How long the model may say nothing'),
  }),
  environment: {
    provider: 'MILLRACE_AGENT_PROVIDER',
    model: 'MILLRACE_AGENT_MODEL',
    baseUrl: 'MILLRACE_AGENT_URL',
    maxSteps: 'MILLRACE_AGENT_MAX_STEPS',
    timeoutSeconds: 'MILLRACE_AGENT_TIMEOUT_SECONDS',
  },
} satisfies Settings;

export interface AgentChoice {
  model: GenerationChoice | 'rules';
  maxSteps: number;
  silenceMs: number;
}

/** The agent's own model, else the server's, else the rules that need no key. */
export function agentChoice(configuration: Configuration): AgentChoice {
  const { environment, file } = configuration;
  const settings = resolveSettings(agentSettings, { flags: {}, environment, file, section: 'agent' });
  const { provider, model, baseUrl, maxSteps, timeoutSeconds } = settings;
  const own = provider && provider !== 'rules' ? { provider, ...(model && { model }), ...(baseUrl && { baseUrl }) } : provider;
  return { model: own ?? chosenModel(configuration) ?? 'rules', maxSteps, silenceMs: timeoutSeconds * 1000 };
}

/** Without a language model only todos can be talked about, so nothing else is started. */
export function toolsetsFor({ model }: AgentChoice, { core }: Configuration): Configuration['core']['toolsets'] {
  return model === 'rules' ? core.toolsets.filter((name) => name === 'todo') : core.toolsets;
}
