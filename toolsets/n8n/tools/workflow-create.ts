import { randomBytes } from 'node:crypto';
import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import type { Workflow } from '../document/workflow/model.ts';
import { editing, workflowData } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowCreate = tool({
  name: 'workflow_create',
  description: 'Creates a new workflow with the basic structure required by n8n, as a file.',
  said: [
    'create an n8n workflow that sends an email',
    'start a new automation in n8n',
    'make an empty workflow called invoices',
    'build an automation that runs every morning',
    'automate sending a chat message for every new order',
    'make an n8n workflow that copies form answers into a sheet',
  ],
  access: 'write',
  annotations: editing('Create workflow'),
  input: z.strictObject({
    name: quietLimits(z.string().trim().min(1, 'name must not be empty').max(200)).describe('Name of the workflow'),
    description: quietLimits(z.string().max(10_000)).optional().describe('Description of the workflow'),
    active: z.boolean().optional().describe('Whether the workflow should be active'),
    settings: z.record(z.string(), z.unknown()).optional().describe('Custom workflow settings'),
  }),
  output: z.object({ workflowId: z.string(), workflowData, path: z.string() }),

  async run(input, { services }) {
    const workflow: Workflow = {
      name: input.name,
      ...(input.description !== undefined && { description: input.description }),
      nodes: [],
      connections: {},
      active: input.active ?? false,
      settings: { executionOrder: 'v1', ...input.settings },
      id: newWorkflowId(),
    };
    const created = await services.workflows.create(input.name, workflow);
    return { workflowId: created.workflowId, workflowData: created.workflow, path: created.path };
  },
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id as n8n gives its workflows: 16 letters and digits. */
function newWorkflowId(): string {
  const letters: string[] = [];
  while (letters.length < 16) {
    // 248 is the largest multiple of 62 in a byte: beyond it some letters would come more often.
    for (const byte of randomBytes(24)) if (byte < 248 && letters.length < 16) letters.push(ALPHABET[byte % ALPHABET.length] as string);
  }
  return letters.join('');
}
