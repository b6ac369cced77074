import { brief } from '@millrace/kernel';
import { z } from 'zod';
import { indexText, pendingText } from '../ingest/report.ts';
import { tool } from '../tool.ts';

export const flowragIndex = tool({
  name: 'flowrag_index',
  description: 'Index documents from the docs folder into the knowledge base; unchanged ones are skipped. Call again to follow a long run.',
  access: 'write',
  annotations: { title: 'Index documents', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    force: z.boolean().default(false).describe('Re-index all documents, ignore hashes'),
    dryRun: z.boolean().default(false).describe('Only show what would change'),
  }),
  output: z.object({
    text: z.string(),
    status: z.enum(['completed', 'running', 'dry_run']),
    documents: z.number().optional(),
    chunks: z.number().optional(),
    entities: z.number().optional(),
    relations: z.number().optional(),
    added: z.array(z.string()).optional(),
    changed: z.array(z.string()).optional(),
    removed: z.array(z.string()).optional(),
    unchanged: z.number().optional(),
    stale: z.number().optional(),
    skipped: z.array(brief(z.object({ path: z.string(), reason: z.string() }))).optional(),
    extractor: brief(z.object({ provider: z.string(), model: z.string() })).optional(),
    job: brief(z.object({ id: z.string(), done: z.number(), total: z.number().nullable(), message: z.string() })).optional(),
  }),
  job: {
    key: ({ force, dryRun }) => `force=${force} dryRun=${dryRun}`,
    pending: ({ id, progress }) => ({ text: pendingText(id, progress), status: 'running' as const, job: { id, ...progress } }),
  },

  async run(input, { services, signal, progress }) {
    const { counts, added, changed, removed, unchanged, stale, skipped, extractor } = await services.index(input, signal, progress);
    return {
      text: indexText({ ...input, counts, added, changed, removed, unchanged, stale, skipped, extractor }),
      status: input.dryRun ? ('dry_run' as const) : ('completed' as const),
      documents: counts.documents,
      chunks: counts.chunks,
      entities: counts.entities,
      relations: counts.relations,
      ...{ added, changed, removed, unchanged, stale, skipped, extractor },
    };
  },
});
