import { z } from 'zod';
import { tool } from '../tool.ts';

export const flowragStats = tool({
  name: 'flowrag_stats',
  description: 'Get index statistics.',
  said: ['how many documents are indexed', 'show the state of the knowledge base', 'when was the index last updated'],
  access: 'read',
  annotations: { title: 'Index statistics', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    documents: z.number(),
    chunks: z.number(),
    entities: z.number(),
    relations: z.number(),
    vectors: z.number(),
    warnings: z.array(z.string()),
  }),

  async run(_input, { services }) {
    const warnings = await services.warnings();
    return { ...(await (await services.collection()).counts()), warnings };
  },

  present(data) {
    const { documents, chunks, entities, relations, vectors, warnings } = data;
    const line = `Documents: ${documents}, Chunks: ${chunks}, Entities: ${entities}, Relations: ${relations}, Vectors: ${vectors}`;
    return { data, words: [...warnings, line].join('\n\n') };
  },
});
