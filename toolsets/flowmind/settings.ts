import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

/** How many successful calls with distinct arguments open a level. */
export const DEFAULT_THRESHOLDS = { intermediate: 10, advanced: 50 };

const threshold = (level: 'intermediate' | 'advanced') =>
  z.number().int().min(0).default(DEFAULT_THRESHOLDS[level]).describe(`Successful calls with distinct arguments until level ${level}`);

export const flowmindSettings = {
  schema: z.strictObject({
    contexts: z.string().min(1).optional().describe('Further folders of contexts, besides the one of the workspace; separated as in PATH'),
    builtinContexts: z.enum(['on', 'off']).default('on').describe('Whether the built-in library of contexts is there'),
    levels: z
      .strictObject({ intermediate: threshold('intermediate'), advanced: threshold('advanced') })
      .prefault({})
      .describe('How many successful calls with distinct arguments open a level'),
    questionDays: z.number().positive().max(365).default(7).describe('How many days a question of a session can be answered'),
  }),
  environment: {
    contexts: 'MILLRACE_CONTEXTS',
    builtinContexts: 'MILLRACE_BUILTIN_CONTEXTS',
    'levels.intermediate': 'MILLRACE_LEVEL_INTERMEDIATE',
    'levels.advanced': 'MILLRACE_LEVEL_ADVANCED',
    questionDays: 'MILLRACE_QUESTION_DAYS',
  },
} satisfies Settings;
