import { readFileSync } from 'node:fs';
import { Failure } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { verifies } from '../../test/requirements.ts';
import { ERROR_CODES } from './codes.ts';
import { flowmind } from './testing/fixture.ts';

const HELLO =
  '{metadata: {id: hello, description: Says hello}, variables: {who: {required: true}}, flow: [{step: Greet, instruction: Greet}]}';

verifies('flowmind-error-pattern', 'an error that nobody expected is an internal error without its details', async () => {
  const teacher = { refusal: async () => Promise.reject(new Error('a secret of the database')) };
  const { envelope } = await flowmind({ contexts: [HELLO], teacher });
  const reply = await envelope('execute_workflow', { workflow_uri: 'workflow://hello', initial_variables: { who: 'x' } });
  expect(reply).toEqual(
    expect.objectContaining({
      success: false,
      error: {
        code: 'INTERNAL_ERROR',
        message: expect.any(String),
        fix: { instruction: expect.any(String), example: expect.anything(), why: expect.any(String) },
      },
      guidance: expect.any(Object),
    }),
  );
  expect(reply).not.toHaveProperty('result');
  expect(JSON.stringify(reply)).not.toContain('secret');
});

test('every code is documented with its meaning', () => {
  const documented = readFileSync(new URL('../../docs/flowmind-errors.md', import.meta.url), 'utf8');
  expect([...documented.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)).toEqual(Object.keys(ERROR_CODES));
  for (const [code, meaning] of Object.entries(ERROR_CODES)) expect(documented).toContain(`| \`${code}\` | ${meaning} |`);
});

test('a limit says how long to wait', async () => {
  const teacher = {
    refusal: async () => Promise.reject(new Failure('rate_limited', 'Too many calls', { details: { retryAfterMs: 2500 } })),
  };
  const { envelope } = await flowmind({ contexts: [HELLO], teacher });
  expect(await envelope('execute_workflow', { workflow_uri: 'workflow://hello' })).toMatchObject({
    error: { code: 'RATE_LIMITED', fix: { instruction: 'Wait 3 s and call again' } },
    guidance: { retry_after_ms: 2500 },
  });
});

verifies('flowmind-level-complexity', 'a context that is too complex for the user is refused with the reason', async () => {
  const teacher = {
    refusal: async () => ({ reason: 'workflow://hello is expert; your level allows moderate', unlock: 'Run 5 more workflows' }),
  };
  const { envelope } = await flowmind({ contexts: [HELLO], teacher });
  expect(await envelope('execute_workflow', { workflow_uri: 'workflow://hello', initial_variables: { who: 'x' } })).toMatchObject({
    success: false,
    error: {
      code: 'CONTEXT_LOCKED',
      message: 'workflow://hello is expert; your level allows moderate',
      fix: { instruction: 'Run 5 more workflows' },
    },
  });
});
