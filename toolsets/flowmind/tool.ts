import type { ToolDefinition } from '@millrace/kernel';
import type { Level } from '@millrace/storage';
import type { z } from 'zod';
import type { Conditions } from './conditions/conditions.ts';
import type { JudgementTokens } from './conditions/judgement-tokens.ts';
import type { Sessions } from './execution/sessions.ts';
import type { ExecutionOptions } from './services.ts';

type Given = 'catalog' | 'composed' | 'discovery' | 'help' | 'registry' | 'teacher' | 'workspace';

export interface FlowmindServices extends Pick<ExecutionOptions, Given> {
  sessions: Sessions;
  conditions: Conditions;
  judgementTokens: JudgementTokens;
  /** How long a call waits for a run before it answers that the run is still going. */
  patienceMs: number;
}

/** A tool of FlowMind may need a level, which levels.ts guards. */
export function tool<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Omit<ToolDefinition<FlowmindServices, Input, Output>, 'present'> & { level?: Level },
): ToolDefinition<FlowmindServices, Input, Output> {
  return definition;
}
