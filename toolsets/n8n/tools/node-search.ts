import { z } from 'zod';
import { reading } from '../schema.ts';
import { tool } from '../tool.ts';

const word = z.string().trim().max(200);

export const nodeSearch = tool({
  name: 'node_search',
  description:
    'Searches for available n8n nodes with optional filtering; filters given together all apply. The id of a node is the nodeType that node_add takes. The first four come with all parameters that matter, the others with the required ones: search for an id to see the rest. Forgives typing errors.',
  access: 'read',
  annotations: reading('Search nodes'),
  input: z.strictObject({
    category: word.optional().describe("Filter nodes by category (e.g., 'trigger', 'http', 'database')"),
    keyword: word.optional().describe('Search by name or description'),
    functionality: word.optional().describe("Filter by node functionality/purpose, in words (e.g., 'send a message')"),
    limit: z.number().int().min(1).max(100).default(10).describe('Most nodes to return; count tells how many match'),
    offset: z.number().int().min(0).default(0).describe('Matches to skip'),
  }),
  output: z.object({
    count: z.number().describe('Number of nodes found'),
    nodes: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        parameters: z
          .record(z.string(), z.unknown())
          .describe('The parameters that matter, each with its type, values and when it applies'),
        categories: z.array(z.string()),
      }),
    ),
  }),

  run(input, { services }) {
    return services.search.find(input);
  },
});
