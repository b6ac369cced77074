import { expect } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';
import { user } from '../../harness/millrace.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { verifies } from '../../requirements.ts';

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
    const flowmind = await openFlowmind({ files: FILES, limited: true });
    const who = user('hasty', 'advanced');
    const call = () => flowmind.ask('field_request', REQUEST, who);
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
    expect((await flowmind.ask('field_request', REQUEST, user('other', 'advanced'))).success).toBe(true);
  },
);

verifies('flowmind-limit-execute-evaluate', 'twenty runs and a hundred evaluations a minute', async () => {
  const flowmind = await openFlowmind({ files: FILES, limited: true });
  const who = user('busy', 'advanced');
  const run = () => flowmind.ask('execute_workflow', { workflow_uri: 'workflow://walk', dry_run: true }, who);
  for (let round = 0; round < 20; round++) expect((await run()).success, String(round)).toBe(true);
  expect((await run()).error.code).toBe('RATE_LIMITED');
  const evaluate = (round: number) =>
    flowmind.ask(
      'evaluate_semantic_condition',
      { condition: `round == ${round}`, context: { user_message: 'x', session_variables: { round } } },
      who,
    );
  for (let round = 0; round < 100; round++) expect((await evaluate(round)).success, String(round)).toBe(true);
  expect((await evaluate(100)).error.code).toBe('RATE_LIMITED');
});

verifies('flowmind-limit-execute-concurrent', 'a sixth run at the same time is rejected; paused sessions do not count', async () => {
  const { toolset, done, gate } = workshop();
  let open = () => {};
  gate.open = new Promise<void>((resolve) => {
    open = resolve;
  });
  const waiting =
    'metadata: { type: workflow, id: waiting, name: Waiting, description: Waits for something }\nflow:\n  - call: work_long\n    with: { text: it }\n';
  const flowmind = await openFlowmind({ files: { ...FILES, 'waiting.yaml': waiting }, toolsets: [toolset], limited: true });
  const who = user('parallel', 'advanced');
  const run = (uri: string) => flowmind.ask('execute_workflow', { workflow_uri: uri }, who);
  for (let round = 0; round < 6; round++) expect((await run('workflow://walk')).result.status).toBe('awaiting_step');
  const running = Array.from({ length: 5 }, () => run('workflow://waiting'));
  await expect.poll(() => done.length).toBe(5);
  const sixth = await run('workflow://waiting');
  expect(sixth.success).toBe(false);
  expect(sixth.error.code).toBe('RATE_LIMITED');
  expect(sixth.error.fix.instruction).toEqual(expect.any(String));
  expect(Object.keys(sixth.guidance).length).toBeGreaterThan(0);
  open();
  for (const { result } of await Promise.all(running)) expect(result.status).toBe('completed');
  expect((await run('workflow://walk')).success).toBe(true);
});
