import { expect } from 'vitest';
import { verifies } from '../../test/requirements.ts';
import { n8nBench } from './testing/bench.ts';

verifies('n8n-error-envelope', 'an error that nobody expected is an internal error without its details', async () => {
  const n8n = await n8nBench();
  const services = n8n.toolset.services as { workflows: { load: unknown } };
  services.workflows.load = () => {
    throw new TypeError('secret detail');
  };
  const reply = await n8n.call('workflow_load', { workflowIdOrPath: 'x' });
  expect(reply.structured).toEqual({ error: { message: 'Internal error', code: 'INTERNAL_SERVER_ERROR', details: expect.any(Object) } });
  expect(reply.text).not.toContain('secret detail');
});
