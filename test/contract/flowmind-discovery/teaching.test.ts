import { expect, test } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import type { AnyReply } from '../../harness/flowmind-replies.ts';
import { OWNER, user } from '../../harness/millrace.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { verifies } from '../../requirements.ts';

const FILES = {
  'deploy.yaml': workflowText('deploy', {
    name: 'Deploy',
    description: 'Deploys a service to production',
    examples: ['deploy the service to production', 'ship the new build to production', 'roll out the service'],
    more: 'variables:\n  service: { type: string, required: true, description: Which service }\n',
  }),
};

const ask = (
  flowmind: TestFlowmind,
  extracted_variables?: Record<string, unknown>,
  more: Record<string, unknown> = {},
  as = OWNER,
): Promise<AnyReply> =>
  flowmind.ask(
    'field_request',
    { query: 'deploy the service to production', confidence_level: 0.7, ...(extracted_variables && { extracted_variables }), ...more },
    as,
  );

verifies('flowmind-teaching-levels', 'everyone begins as a beginner, the owner too, and rises by using what was taught', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  for (const who of [OWNER, user('someone')]) {
    const first = (await ask(flowmind, { domain: 'personal', urgency: 'low', service: 'x' }, {}, who)).teaching;
    expect(first.level).toBe('beginner');
  }
  const learner = user('learner');
  const told = (await ask(flowmind, undefined, {}, learner)).teaching;
  expect(told).toMatchObject({
    level: 'beginner',
    message: 'Good start! Try adding domain next time.',
    example: { domain: expect.any(String) },
  });
  const second = (await ask(flowmind, { domain: 'personal', service: 'x' }, {}, learner)).teaching;
  expect(second).toMatchObject({
    level: 'intermediate',
    message: 'Much better! Now you understand domains. Consider urgency too.',
    example: { urgency: 'high' },
  });
  const third = (await ask(flowmind, { domain: 'personal', urgency: 'high', service: 'x' }, {}, learner)).teaching;
  expect(third.level).toBe('advanced');
});

verifies(
  'flowmind-teaching-fields',
  'every reply teaches: level and message always, the rest where it applies; each lesson once',
  async () => {
    const flowmind = await openFlowmind({ files: FILES });
    const messages: string[] = [];
    const lessons = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const { teaching } = await ask(flowmind, round > 3 ? { domain: 'technical', technology: 'go' } : undefined);
      expect(teaching).toMatchObject({ level: expect.stringMatching(/^(beginner|intermediate|advanced)$/), message: expect.any(String) });
      for (const key of Object.keys(teaching))
        expect(['level', 'message', 'tip', 'pattern', 'example', 'confidence_calibration', 'unlock']).toContain(key);
      if (teaching.tip) {
        expect(lessons).not.toContain(teaching.tip);
        lessons.add(teaching.tip);
      }
      messages.push(teaching.message);
    }
    expect(messages[0]).toBe('Good start! Try adding domain next time.');
    expect(messages.filter((message) => message === messages[0])).toHaveLength(1);
    expect([...lessons]).toContain('Next time, include service for faster matching');
    for (const [tool, parameters] of [
      ['list_available_contexts', {}],
      ['get_help', { help_type: 'concept' }],
      ['evaluate_semantic_condition', { condition: 'user seems frustrated', context: { user_message: 'I am so angry' } }],
      ['execute_workflow', { workflow_uri: 'workflow://deploy', dry_run: true }],
    ] as const) {
      const { success, teaching } = await flowmind.ask(tool, parameters);
      expect(success, tool).toBe(true);
      expect(teaching).toMatchObject({ level: expect.any(String), message: expect.any(String) });
    }
  },
);

test('whether a lesson was applied is measured', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  await ask(flowmind);
  const taken = await ask(flowmind, { domain: 'personal' });
  expect(taken._insights).toMatchObject({ lessons_measured: 1, lessons_taken_up: 1 });
  const ignored = await ask(flowmind, { domain: 'personal' });
  expect(ignored._insights).toMatchObject({ lessons_measured: 2, lessons_taken_up: 1 });
});

test('a broken rule is a lesson, too: the next request shows whether it was understood', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  await ask(flowmind, { domain: 'technical' });
  const { _insights } = await ask(flowmind, { domain: 'technical', technology: 'go' });
  expect(_insights).toMatchObject({ lessons_measured: 1, lessons_taken_up: 1 });
});

verifies('flowmind-teaching-unlock', 'the reply that unlocks a tool announces it', async () => {
  const flowmind = await openFlowmind({ files: FILES, environment: { MILLRACE_LEVEL_INTERMEDIATE: '2', MILLRACE_LEVEL_ADVANCED: '4' } });
  const who = user('climber');
  const unlocks: (string | undefined)[] = [];
  for (let round = 0; round < 5; round++) unlocks.push((await ask(flowmind, { round }, {}, who)).teaching.unlock);
  expect(unlocks).toEqual([
    undefined,
    'execute_workflow tool now available, evaluate_semantic_condition tool now available',
    undefined,
    'compose_workflow tool now available, list_available_contexts tool now available',
    undefined,
  ]);
});

async function runToItsEnd(flowmind: TestFlowmind, as = OWNER) {
  const parameters = { workflow_uri: 'workflow://deploy', initial_variables: { service: 'shop' } };
  const { result } = await flowmind.ask('execute_workflow', parameters, as);
  const step_result = { question_id: result.question.id, value: 'Deployed' };
  const ended = await flowmind.ask(
    'execute_workflow',
    { workflow_uri: 'workflow://deploy', session_id: result.session_id, step_result },
    as,
  );
  expect(ended.result.status).toBe('completed');
}

verifies('flowmind-confidence-calibration', 'stated confidence is compared with what came of it, and with nothing else', async () => {
  const flowmind = await openFlowmind({ files: FILES });
  expect((await ask(flowmind)).teaching).not.toHaveProperty('confidence_calibration');
  expect((await ask(flowmind)).teaching).not.toHaveProperty('confidence_calibration');
  await runToItsEnd(flowmind);
  const { teaching } = await ask(flowmind);
  expect(teaching.confidence_calibration).toBe('Your 0.70 was actually 1.00 over your finished request - be more confident!');
  const other = await ask(flowmind, undefined, {}, user('other', 'advanced'));
  expect(other.teaching).not.toHaveProperty('confidence_calibration');
});
