import { Failure, type JobProgress } from '@millrace/kernel';
import type { IndexOutcome } from './indexing.ts';
import type { SkippedFile } from './scan.ts';

/** What a run did, or with dryRun would do. */
export interface IndexReport {
  added: string[];
  changed: string[];
  removed: string[];
  /** Same content as before. */
  unchanged: number;
  /** Of the unchanged: extracted with an earlier schema or extractor; force extracts them again. */
  stale: number;
  skipped: SkippedFile[];
}

const MOST_SKIPPED = 20;
const MOST_PATHS = 30;

export const WITHOUT_ENTITIES = 'search works, but the graph tools have nothing to show';

/** The published sentence first, then what this run did. */
export function indexText(outcome: IndexOutcome & { dryRun: boolean }): string {
  const { counts, added, changed, removed, unchanged, stale, skipped, extractor, dryRun } = outcome;
  if (dryRun) return dryRunText(outcome);
  const lines = [
    `Indexed ${counts.documents} documents, ${counts.chunks} chunks, ${counts.entities} entities, ${counts.relations} relations`,
    `This run: ${added.length} new, ${changed.length} processed again, ${removed.length} removed, ${unchanged} unchanged.`,
  ];
  if (stale > 0)
    lines.push(
      `${staleDocuments(stale)}: extracted under an earlier schema or extractor. \`force: true\` renews ${stale === 1 ? 'it' : 'them'}.`,
    );
  if (counts.documents > 0 && counts.entities === 0) lines.push(`No entities were found: ${WITHOUT_ENTITIES}.`);
  if (extractor.provider === 'rules')
    lines.push('Extracted by rules: offline and deterministic, without a language model. An extractor with a key finds more.');
  if (counts.documents === 0) lines.push('The docs folder has no documents that can be indexed.');
  return [...lines, ...skippedLines(skipped)].join('\n');
}

function dryRunText({ counts, added, changed, removed, unchanged, stale, skipped }: IndexOutcome): string {
  const lines = [
    `Dry run: ${added.length} would be added, ${changed.length} processed again, ${removed.length} removed, ${unchanged} are unchanged.`,
  ];
  if (emptiesIndex({ added, removed }, counts.documents))
    lines.push('The docs folder has no documents that can be indexed. Only `force: true` empties the index: check the folder first.');
  if (stale > 0) lines.push(`${staleDocuments(stale)}; \`force: true\` would renew ${stale === 1 ? 'it' : 'them'}.`);
  const paths = [...added.map((path) => `+ ${path}`), ...changed.map((path) => `~ ${path}`), ...removed.map((path) => `- ${path}`)];
  lines.push(...paths.slice(0, MOST_PATHS));
  if (paths.length > MOST_PATHS) lines.push(`… and ${paths.length - MOST_PATHS} more`);
  return [...lines, ...skippedLines(skipped)].join('\n');
}

function staleDocuments(count: number): string {
  return count === 1 ? '1 unchanged document is stale' : `${count} unchanged documents are stale`;
}

function skippedLines(skipped: SkippedFile[]): string[] {
  if (skipped.length === 0) return [];
  const lines = [
    skipped.length === 1 ? 'Skipped 1 file:' : `Skipped ${skipped.length} files:`,
    ...skipped.slice(0, MOST_SKIPPED).map(({ path, reason }) => `- ${path}: ${reason}`),
  ];
  if (skipped.length > MOST_SKIPPED) lines.push(`… and ${skipped.length - MOST_SKIPPED} more`);
  return lines;
}

export function pendingText(id: string, { message }: JobProgress): string {
  return `Indexing continues (job ${id}): ${message || 'it has just started'}. Call flowrag_index again to see how far it is.`;
}

/** Whether the run would remove every document and add none: usually the folder is wrong, or its disk is not mounted. */
export function emptiesIndex({ added, removed }: Pick<IndexReport, 'added' | 'removed'>, documents: number): boolean {
  return documents > 0 && removed.length === documents && added.length === 0;
}

export function refusalToEmpty(root: string, documents: number): Failure {
  const lost = documents === 1 ? 'the only document' : `all ${documents} documents`;
  const message = `The docs folder ${root} has no documents that can be indexed, so ${lost} would be removed from the index. Nothing was changed.`;
  return new Failure('conflict', message, {
    details: { docs: root, documents },
    fix: {
      instruction:
        'Check the folder: is the path right, is its disk mounted? To empty the index all the same, call flowrag_index with force: true',
      example: { force: true },
    },
  });
}
