import type { Catalog, ToolDefinition } from '@millrace/kernel';
import type { Level } from '@millrace/storage';
import type { z } from 'zod';
import type { Conditions } from './conditions/conditions.ts';
import type { JudgementTokens } from './conditions/judgement-tokens.ts';
import type { ComposedStore } from './contexts/composed-store.ts';
import type { ContextRegistry } from './contexts/registry.ts';
import type { Discovery } from './discovery/fit/discovery.ts';
import type { Sessions } from './execution/sessions.ts';
import type { Help } from './help/help.ts';
import type { Teacher } from './teaching/teacher.ts';

export interface FlowmindServices {
  registry: ContextRegistry;
  discovery: Discovery;
  teacher: Teacher;
  sessions: Sessions;
  conditions: Conditions;
  judgementTokens: JudgementTokens;
  composed: ComposedStore;
  help: Help;
  catalog(): Catalog;
  /** How long a call waits for a run before it answers that the run is still going. */
  patienceMs: number;
  /** The folder that people edit: contexts are saved below it. */
  workspace: string;
}

/** A tool of FlowMind may need a level, which levels.ts guards. */
export function tool<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Omit<ToolDefinition<FlowmindServices, Input, Output>, 'present'> & { level?: Level },
): ToolDefinition<FlowmindServices, Input, Output> {
  return definition;
}
