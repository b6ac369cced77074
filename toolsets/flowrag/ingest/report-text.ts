import type { JobProgress } from '@millrace/kernel';
import type { IndexOutcome } from '../services.ts';

const MOST_SKIPPED = 20;
const MOST_PATHS = 30;

type Said = Pick<IndexOutcome, 'counts' | 'added' | 'changed' | 'removed' | 'unchanged' | 'stale' | 'skipped' | 'extractor'>;

/** The published sentence first, then what this run did. */
export function indexText(outcome: Said & { dryRun: boolean }): string {
  const { counts, added, changed, removed, unchanged, stale, skipped, extractor, dryRun } = outcome;
  if (dryRun) return dryRunText(outcome);
  const lines = [
    `Indexed ${counts.documents} documents, ${counts.chunks} chunks, ${counts.entities} entities, ${counts.relations} relations`,
    `This run: ${added.length} new, ${changed.length} processed again, ${removed.length} removed, ${unchanged} unchanged.`,
  ];
  if (stale > 0)
    lines.push(
      `${stale} unchanged documents are stale: they were extracted under an earlier schema or extractor. \`force: true\` renews them.`,
    );
  if (extractor.provider === 'rules')
    lines.push('Extracted by rules: offline and deterministic, without a language model. An extractor with a key finds more.');
  if (counts.documents === 0) lines.push('The docs folder has no documents that can be indexed.');
  return [...lines, ...skippedLines(skipped)].join('\n');
}

function dryRunText({ added, changed, removed, unchanged, stale, skipped }: Said): string {
  const lines = [
    `Dry run: ${added.length} would be added, ${changed.length} processed again, ${removed.length} removed, ${unchanged} are unchanged.`,
  ];
  if (stale > 0) lines.push(`${stale} unchanged documents are stale; \`force: true\` would renew them.`);
  const paths = [...added.map((path) => `+ ${path}`), ...changed.map((path) => `~ ${path}`), ...removed.map((path) => `- ${path}`)];
  lines.push(...paths.slice(0, MOST_PATHS));
  if (paths.length > MOST_PATHS) lines.push(`… and ${paths.length - MOST_PATHS} more`);
  return [...lines, ...skippedLines(skipped)].join('\n');
}

function skippedLines(skipped: Said['skipped']): string[] {
  if (skipped.length === 0) return [];
  const lines = [`Skipped ${skipped.length} files:`, ...skipped.slice(0, MOST_SKIPPED).map(({ path, reason }) => `- ${path}: ${reason}`)];
  if (skipped.length > MOST_SKIPPED) lines.push(`… and ${skipped.length - MOST_SKIPPED} more`);
  return lines;
}

export function pendingText(id: string, { message }: JobProgress): string {
  return `Indexing goes on (job ${id}): ${message || 'it has just started'}. Call flowrag_index again to see how far it is.`;
}
