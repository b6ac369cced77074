import { type Toolset, toolsOf } from '@millrace/kernel';
import { expect } from 'vitest';
import { z } from 'zod';
import { user } from '../../harness/catalog.ts';
import { plainWire } from '../../harness/plain-wire.ts';
import { verifies } from '../../requirements.ts';
import { rig, workflowText } from './rig.ts';

const FILES = {
  'walk.yaml': workflowText('walk', {
    name: 'Walk',
    description: 'Takes a walk',
    examples: ['take a walk', 'go for a walk', 'walk in the park'],
  }),
};
const REQUEST = { query: 'go for a walk in the park', confidence_level: 0.5 };

verifies(
  ['flowmind-limit-field-request', 'flowmind-limit-backoff'],
  'sixty requests a minute and ten more, then waits that grow',
  async () => {
    const flowmind = await rig({ files: FILES, limited: true });
    const who = user('hasty', 'advanced');
    const call = () => flowmind.envelope('field_request', REQUEST, who);
    for (let round = 0; round < 70; round++) expect((await call()).success, String(round)).toBe(true);
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const { success, error, guidance } = await call();
      expect(success).toBe(false);
      expect(error.code).toBe('RATE_LIMITED');
      expect(error.fix.instruction).toMatch(/^Wait \d+ s/);
      waits.push(guidance.retry_after_ms);
    }
    for (let round = 1; round < waits.length; round++) expect(waits[round]).toBeGreaterThan(waits[round - 1] as number);
    expect((await flowmind.envelope('field_request', REQUEST, user('other', 'advanced'))).success).toBe(true);
  },
);

verifies('flowmind-limit-execute-evaluate', 'twenty runs and a hundred evaluations a minute', async () => {
  const flowmind = await rig({ files: FILES, limited: true });
  const who = user('busy', 'advanced');
  const run = () => flowmind.envelope('execute_workflow', { workflow_uri: 'workflow://walk', dry_run: true }, who);
  for (let round = 0; round < 20; round++) expect((await run()).success, String(round)).toBe(true);
  expect((await run()).error.code).toBe('RATE_LIMITED');
  const evaluate = (round: number) =>
    flowmind.envelope(
      'evaluate_semantic_condition',
      { condition: `round == ${round}`, context: { user_message: 'x', session_variables: { round } } },
      who,
    );
  for (let round = 0; round < 100; round++) expect((await evaluate(round)).success, String(round)).toBe(true);
  expect((await evaluate(100)).error.code).toBe('RATE_LIMITED');
});

/** A tool that is busy until the gate opens. */
function slow(): { toolset: Toolset; begun: () => number; open: () => void } {
  let begun = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = toolsOf<Record<string, never>>()({
    name: 'hold_on',
    description: 'Waits',
    access: 'write',
    annotations: { title: 'Wait', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    async run() {
      begun++;
      await gate;
      return { done: true };
    },
  });
  const toolset: Toolset = {
    name: 'slow',
    title: 'Slow',
    instructions: '',
    services: {},
    wire: plainWire,
    tools: [tool] as Toolset['tools'],
  };
  return { toolset, begun: () => begun, open };
}

verifies('flowmind-limit-execute-concurrent', 'a sixth run at the same time is rejected; paused sessions do not count', async () => {
  const { toolset, begun, open } = slow();
  const waiting = 'metadata: { type: workflow, id: waiting, name: Waiting, description: Waits for something }\nflow:\n  - call: hold_on\n';
  const flowmind = await rig({ files: { ...FILES, 'waiting.yaml': waiting }, toolsets: [toolset], limited: true });
  const who = user('parallel', 'advanced');
  const run = (uri: string) => flowmind.envelope('execute_workflow', { workflow_uri: uri }, who);
  for (let round = 0; round < 6; round++) expect((await run('workflow://walk')).result.status).toBe('awaiting_step');
  const running = Array.from({ length: 5 }, () => run('workflow://waiting'));
  await expect.poll(begun).toBe(5);
  const sixth = await run('workflow://waiting');
  expect(sixth.success).toBe(false);
  expect(sixth.error.code).toBe('RATE_LIMITED');
  expect(sixth.error.fix.instruction).toEqual(expect.any(String));
  expect(Object.keys(sixth.guidance).length).toBeGreaterThan(0);
  open();
  for (const { result } of await Promise.all(running)) expect(result.status).toBe('completed');
  expect((await run('workflow://walk')).success).toBe(true);
});
