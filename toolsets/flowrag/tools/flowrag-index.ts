import { brief, type JobState } from '@millrace/kernel';
import { z } from 'zod';
import type { IndexOutcome } from '../ingest/indexing.ts';
import { indexText, pendingText } from '../ingest/report.ts';
import { tool } from '../tool.ts';

/** A run that has ended, or the job that still does it. */
type Indexing =
  | { status: 'completed' | 'dry_run'; outcome: IndexOutcome }
  | { status: 'running'; job: { id: string } & JobState['progress'] };

export const flowragIndex = tool({
  name: 'flowrag_index',
  description: 'Index documents from the docs folder into the knowledge base; unchanged ones are skipped. Call again to follow a long run.',
  said: [
    'index our documents',
    'bring the knowledge base up to date',
    'read the new files in the docs folder',
    'rebuild the document index',
  ],
  access: 'write',
  annotations: { title: 'Index documents', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    force: z.boolean().default(false).describe('Re-index all documents, ignore hashes'),
    dryRun: z.boolean().default(false).describe('Only show what would change'),
  }),
  output: z.object({
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
    pending: ({ id, progress }): Indexing => ({ status: 'running', job: { id, ...progress } }),
  },

  async run(input, { services, signal, progress }): Promise<Indexing> {
    return { status: input.dryRun ? 'dry_run' : 'completed', outcome: await services.indexing.index(input, signal, progress) };
  },

  present(indexing, { input }) {
    if (indexing.status === 'running') return { data: indexing, words: pendingText(indexing.job.id, indexing.job) };
    const { counts, added, changed, removed, unchanged, stale, skipped, extractor } = indexing.outcome;
    const { documents, chunks, entities, relations } = counts;
    const report = { added, changed, removed, unchanged, stale, skipped, extractor };
    return {
      data: { status: indexing.status, documents, chunks, entities, relations, ...report },
      words: indexText({ ...input, counts, ...report }),
    };
  },
});
