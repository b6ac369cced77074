import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';
import { user } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';

const HELLO =
  '{metadata: {id: hello, description: Says hello}, variables: {who: {required: true}}, flow: [{step: Greet, instruction: Greet}]}';

/** The closed list, as it is documented. */
const CODES = [
  'INVALID_ARGUMENTS',
  'INVALID_QUERY',
  'INVALID_VARIABLES',
  'INVALID_CONFIDENCE',
  'INVALID_ANSWER',
  'INVALID_JUDGEMENT',
  'CONTEXT_NOT_FOUND',
  'CONTEXT_LOCKED',
  'SESSION_NOT_FOUND',
  'SESSION_CONFLICT',
  'SESSION_ENDED',
  'QUESTION_NOT_ASKED',
  'ANSWER_EXPIRED',
  'ANSWER_NEEDED',
  'EXPRESSION_FAILED',
  'COMPOSITION_REFUSED',
  'TOOL_NOT_FOUND',
  'TOOL_LOCKED',
  'NOT_PERMITTED',
  'NOT_SIGNED_IN',
  'RATE_LIMITED',
  'TIMED_OUT',
  'CANCELLED',
  'UNAVAILABLE',
  'STORAGE_FAILED',
  'INTERNAL_ERROR',
];

verifies('flowmind-error-pattern', 'every failed call has the published pattern, with a code of the closed list', async () => {
  const { envelope, call, run } = await openFlowmind({ contexts: [HELLO], toolsets: [workshop().toolset] });
  const session = await run('workflow://hello', { initial_variables: { who: 'x' } });
  const uri = 'workflow://hello';
  const replies = [
    await envelope('execute_workflow', {}),
    await envelope('execute_workflow', { workflow_uri: uri, initial_variable: {} }),
    await envelope('execute_workflow', { workflow_uri: uri }),
    await envelope('execute_workflow', { workflow_uri: 'workflow://nothing' }),
    await envelope('execute_workflow', { workflow_uri: uri, session_id: 'none' }),
    await envelope('execute_workflow', { workflow_uri: uri, session_id: session.session_id, step_result: { question_id: 'q0', value: 1 } }),
    await envelope('execute_workflow', { workflow_uri: uri }, user('new')),
    await envelope('evaluate_semantic_condition', {
      condition: 'x',
      context: { user_message: 'x' },
      judgement: { token: 'forged', result: true },
    }),
    await envelope('compose_workflow', { name: 'X' }),
  ];
  for (const reply of replies) {
    expect(reply).toEqual(
      expect.objectContaining({
        success: false,
        error: {
          code: expect.any(String),
          message: expect.any(String),
          fix: { instruction: expect.any(String), example: expect.anything(), why: expect.any(String) },
        },
        guidance: expect.any(Object),
      }),
    );
    expect(CODES).toContain(reply.error?.code);
    expect(reply).not.toHaveProperty('result');
  }
  expect(replies.map((reply) => reply.error?.code)).toEqual([
    'INVALID_ARGUMENTS',
    'INVALID_ARGUMENTS',
    'INVALID_VARIABLES',
    'CONTEXT_NOT_FOUND',
    'SESSION_NOT_FOUND',
    'QUESTION_NOT_ASKED',
    'TOOL_LOCKED',
    'INVALID_JUDGEMENT',
    'INVALID_ARGUMENTS',
  ]);
  const documented = readFileSync(new URL('../../../docs/flowmind-errors.md', import.meta.url), 'utf8');
  expect([...documented.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)).toEqual(CODES);
  const reply = await call('execute_workflow', {});
  expect(reply.isError).toBe(true);
  expect(JSON.parse(reply.text)).toEqual(reply.structured);
});

verifies(
  ['flowmind-success-pattern', 'flowmind-performance-fields'],
  'a successful reply has the published pattern, with times as they were measured',
  async () => {
    const { envelope } = await openFlowmind({ contexts: [HELLO] });
    const calls: [string, unknown][] = [
      ['execute_workflow', { workflow_uri: 'workflow://hello', initial_variables: { who: 'x' } }],
      ['evaluate_semantic_condition', { condition: 'it is urgent', context: { user_message: 'this is urgent' } }],
      [
        'compose_workflow',
        {
          name: 'x',
          flow_type: 'sequential',
          components: [
            { uri: 'workflow://hello', role: 'primary' },
            { uri: 'workflow://gone', role: 'support' },
          ],
        },
      ],
    ];
    for (const [tool, parameters] of calls) {
      const reply = await envelope(tool, parameters);
      expect(Object.keys(reply).sort()).toEqual(['_insights', '_performance', '_unlocks', 'next_actions', 'result', 'success', 'teaching']);
      expect(reply).toMatchObject({ success: true, teaching: { level: 'beginner', message: expect.any(String) } });
      const times = reply._performance ?? {};
      expect(Object.keys(times).sort()).toEqual(['alpha_llm_time_ms', 'assembly_time_ms', 'search_time_ms', 'total_time_ms']);
      expect(times['total_time_ms']).toBeGreaterThan(0);
      expect(times['alpha_llm_time_ms']).toBe(0);
      expect(times['total_time_ms']).toBeGreaterThanOrEqual(times['assembly_time_ms'] ?? 0);
    }
  },
);

test('the time that a model took is measured', async () => {
  const { envelope } = await openFlowmind({
    async model() {
      await new Promise((resolve) => setTimeout(resolve, 15));
      return { holds: 'yes', confidence: 1, reasoning: 'x', evidence: [] };
    },
  });
  const reply = await envelope('evaluate_semantic_condition', { condition: 'the user owns a boat', context: { user_message: 'x' } });
  expect(reply._performance?.['alpha_llm_time_ms']).toBeGreaterThan(10);
});
