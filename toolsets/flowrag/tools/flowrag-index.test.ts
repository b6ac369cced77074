import { presented } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { flowragIndex } from './flowrag-index.ts';

test('a run that outlasts the client answers with its progress and a job', () => {
  const job = { id: 'j1', progress: { done: 3, total: 9, message: '3 of 9 files' } };
  const reply = (state: object) => {
    const pending = flowragIndex.job?.pending(state as never);
    return presented(flowragIndex, pending, { input: { force: false, dryRun: false }, services: undefined });
  };
  expect(reply(job)).toEqual({
    data: { status: 'running', job: { id: 'j1', done: 3, total: 9, message: '3 of 9 files' } },
    words: 'Indexing continues (job j1): 3 of 9 files. Call flowrag_index again to see how far it is.',
  });
  expect(reply({ ...job, progress: { ...job.progress, message: '' } }).words).toContain('it has just started');
  expect(flowragIndex.job?.key({ force: false, dryRun: false })).not.toBe(flowragIndex.job?.key({ force: true, dryRun: false }));
});
