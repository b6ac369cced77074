import { z } from 'zod';
import { mermaidOf, svgOf } from '../document/diagram.ts';
import { requireSound } from '../document/workflow/connections.ts';
import { reading, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowDiagram = tool({
  name: 'workflow_diagram',
  description: 'Draws a workflow as Mermaid or SVG.',
  said: ['draw a picture of my n8n workflow', 'show the workflow as a flowchart', 'make a mermaid diagram of this automation'],
  access: 'read',
  extra: true,
  annotations: reading('Draw workflow'),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    format: z.enum(['mermaid', 'svg']).default('mermaid').describe('Format'),
  }),
  output: z.object({ format: z.enum(['mermaid', 'svg']), diagram: z.string() }),

  async run({ workflowId, format }, { services: { workflows, catalogue } }) {
    await catalogue.ready();
    const { workflow } = await workflows.load(workflowId);
    requireSound(workflow, workflowId);
    return { format, diagram: format === 'svg' ? svgOf(workflow, catalogue) : mermaidOf(workflow, catalogue) };
  },
});
