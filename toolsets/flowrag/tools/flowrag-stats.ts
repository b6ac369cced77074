import { z } from 'zod';
import { tool } from '../tool.ts';

export const flowragStats = tool({
  name: 'flowrag_stats',
  description: 'Get index statistics.',
  access: 'read',
  annotations: { title: 'Index statistics', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    text: z.string(),
    documents: z.number(),
    chunks: z.number(),
    entities: z.number(),
    relations: z.number(),
    vectors: z.number(),
    warnings: z.array(z.string()),
  }),

  async run(_input, { services }) {
    const counts = await (await services.collection()).counts();
    const { documents, chunks, entities, relations, vectors } = counts;
    const warnings = await services.warnings();
    const line = `Documents: ${documents}, Chunks: ${chunks}, Entities: ${entities}, Relations: ${relations}, Vectors: ${vectors}`;
    return { text: [...warnings, line].join('\n\n'), ...counts, warnings };
  },
});
