import { brief, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { reading } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowList = tool({
  name: 'workflow_list',
  description: 'Lists workflows from a directory and below; default: the workflows folder.',
  said: ['which n8n workflows do we have', 'list my automations', 'show all workflow files in the folder'],
  access: 'read',
  annotations: reading('List workflows'),
  input: z.strictObject({
    directoryPath: quietLimits(z.string().min(1).max(1000)).optional().describe('Directory path to list workflows from'),
    limit: quietLimits(z.int().min(1, 'limit must be at least 1').max(1000)).default(100).describe('Maximum number of workflows to return'),
    offset: quietLimits(z.int().min(0, 'offset must not be negative')).default(0).describe('Number of workflows to skip'),
  }),
  output: z.object({
    workflows: z.array(z.object({ id: z.string(), name: z.string(), path: z.string(), lastModified: z.string() })),
    total: z.number(),
    skipped: z.array(brief(z.object({ path: z.string(), reason: z.string() }))).optional(),
  }),

  async run({ directoryPath, limit, offset }, { services }) {
    const { workflows, total, skipped } = await services.workflows.list(directoryPath, limit, offset);
    return { workflows, total, ...(skipped.length > 0 && { skipped }) };
  },
});
