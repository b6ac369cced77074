import { Failure } from '@millrace/kernel';
import type { IndexReport } from './indexer.ts';

/** Whether the run would take every document out of the index and put none in: most often the folder is wrong, or its disk is not mounted. */
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
