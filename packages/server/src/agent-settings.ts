import type { Settings } from '@millrace/kernel';
import type { GenerationChoice } from '@millrace/models';
import { z } from 'zod';
import { resolveSettings } from './config/load.ts';
import { chosenModel } from './config/models.ts';
import type { Configuration } from './configuration.ts';
import { toolsets } from './toolsets.ts';

/** The settings of the chat agent; its language model is the one in `models`. */
export const agentSettings = {
  schema: z.strictObject({
    maxSteps: z
      .number()
      .int()
      .min(2)
      .max(100)
      .default(16)
      .describe('Maximum number of steps (tool calls and reasoning) before the agent must answer'),
    timeoutSeconds: z.number().int().min(1).max(600).default(60).describe('Seconds to wait for output from the model'),
  }),
  environment: {
    maxSteps: 'MILLRACE_AGENT_MAX_STEPS',
    timeoutSeconds: 'MILLRACE_AGENT_TIMEOUT_SECONDS',
  },
} satisfies Settings;

export interface AgentChoice {
  model: GenerationChoice | 'rules';
  maxSteps: number;
  silenceMs: number;
}

/** The server's language model, or the rules, which need no key. */
export function agentChoice(configuration: Configuration): AgentChoice {
  const { environment, file } = configuration;
  const { maxSteps, timeoutSeconds } = resolveSettings(agentSettings, { flags: {}, environment, file, section: 'agent' });
  return { model: chosenModel(configuration) ?? 'rules', maxSteps, silenceMs: timeoutSeconds * 1000 };
}

/** Without a language model the chat understands only some toolsets, so no others are started. */
export function toolsetsFor({ model }: AgentChoice, { core }: Configuration): Configuration['core']['toolsets'] {
  return model === 'rules'
    ? core.toolsets.filter((name) => toolsets.some((toolset) => toolset.name === name && toolset.talks))
    : core.toolsets;
}
