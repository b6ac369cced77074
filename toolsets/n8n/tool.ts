import type { ToolDefinition } from '@millrace/kernel';
import type { z } from 'zod';
import type { Services } from './services.ts';

export type N8nTool<Input extends z.ZodObject, Output extends z.ZodType> = ToolDefinition<Services, Input, Output> & {
  /** Its published reply begins with `success`. */
  acknowledges?: true;
};

export function tool<Input extends z.ZodObject, Output extends z.ZodType>(definition: N8nTool<Input, Output>): N8nTool<Input, Output> {
  return definition;
}
