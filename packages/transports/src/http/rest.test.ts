import { Failure, toolsOf } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testCatalog } from '../../../../test/harness/catalog.ts';
import { plainWire } from '../../../../test/harness/plain-wire.ts';
import { verifies } from '../../../../test/requirements.ts';
import { restExecute } from './rest.ts';

const never = new AbortController().signal;

function failing(error: unknown) {
  const tool = toolsOf<unknown>()({
    name: 'fail',
    description: 'Fails',
    said: [],
    access: 'read',
    annotations: { title: 'Fail', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: z.strictObject({}),
    output: z.object({}),
    run: () => {
      throw error;
    },
  });
  const { catalog } = testCatalog([{ name: 'test', title: 'Test', instructions: '', tools: [tool], wire: plainWire, services: undefined }]);
  return restExecute(catalog, { name: 'fail' }, { kind: 'local' }, never);
}

verifies('kernel-rest-internal-error', 'an unexpected fault answers 500 with INTERNAL_SERVER_ERROR and nothing internal', async () => {
  const answer = await failing(new Error('the insides'));
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal error' } } });
  expect(JSON.stringify(answer)).not.toContain('the insides');
});

verifies('kernel-rest-refusals', 'a used-up limit answers 429 with the seconds to wait', async () => {
  const answer = await failing(new Failure('rate_limited', 'Too many calls', { details: { retryAfterMs: 1500 } }));
  expect(answer).toMatchObject({
    status: 429,
    headers: { 'retry-after': '2' },
    body: { error: { message: 'Too many calls', details: { reason: 'rate_limited' } } },
  });
});

test('a tool that fails otherwise answers 500 with TOOL_EXECUTION_ERROR', async () => {
  for (const code of ['timeout', 'unavailable', 'upstream', 'conflict', 'storage', 'cancelled'] as const) {
    expect(await failing(new Failure(code, 'No'))).toMatchObject({
      status: 500,
      body: { error: { code: 'TOOL_EXECUTION_ERROR', message: 'No' } },
    });
  }
});
