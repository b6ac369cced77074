import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { reading } from '../schema.ts';
import { tool } from '../services.ts';

const word = quietLimits(z.string().trim().max(200));

export const nodeSearch = tool({
  name: 'node_search',
  description:
    "Searches for available n8n nodes with optional filtering. A node's id is the nodeType for node_add; search for an id to see all its parameters.",
  said: [
    'which nodes does n8n have for slack',
    'find an n8n node that sends email',
    'is there a node for google sheets in n8n',
    'search the n8n nodes for webhooks',
  ],
  access: 'read',
  annotations: reading('Search nodes'),
  input: z.strictObject({
    category: word.optional().describe("Filter nodes by category (e.g., 'trigger', 'http', 'database')"),
    keyword: word.optional().describe('Search by name or description'),
    functionality: word.optional().describe('Filter by node functionality/purpose'),
    limit: quietLimits(z.number().int().min(1).max(100)).default(10).describe('Maximum nodes'),
    offset: quietLimits(z.number().int().min(0)).default(0).describe('Nodes to skip'),
  }),
  output: z.object({
    count: z.number().describe('Number of nodes found'),
    nodes: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        categories: z.array(z.string()),
      }),
    ),
  }),

  run(input, { services }) {
    return services.search.find(input);
  },
});
