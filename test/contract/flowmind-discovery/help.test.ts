import { afterAll, beforeAll, expect } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import type { AnyReply } from '../../harness/flowmind-replies.ts';
import { verifies } from '../../requirements.ts';

let flowmind: TestFlowmind;

beforeAll(async () => {
  flowmind = await openFlowmind();
}, 60_000);
afterAll(() => flowmind.close());

const help = async (parameters: Record<string, unknown>): Promise<AnyReply> => {
  const { success, result } = await flowmind.ask('get_help', parameters);
  expect(success).toBe(true);
  return result;
};

verifies('flowmind-help-input', 'help needs a type, and takes what happened and a question', async () => {
  for (const help_type of ['error', 'usage', 'best_practices', 'concept']) {
    const context = { error_message: 'x', attempted_action: 'y', current_state: { step: 3 } };
    await help({ help_type, context, specific_question: 'How do I run a workflow?' });
  }
  for (const parameters of [
    {},
    { help_type: 'magic' },
    { help_type: 'usage', specific_question: 'x'.repeat(501) },
    { help_type: 'error', context: { error_message: 7 } },
    { help_type: 'error', context: { current_state: 'paused' } },
  ]) {
    expect((await flowmind.ask('get_help', parameters)).success).toBe(false);
  }
});

verifies('flowmind-help-result', 'help answers from the documentation, with an example that its tool takes', async () => {
  const questions = [
    { help_type: 'usage', specific_question: 'How do I continue a paused workflow?' },
    { help_type: 'usage', specific_question: 'what does compose_workflow need' },
    { help_type: 'concept', specific_question: 'What is a context and what is an agent?' },
    { help_type: 'best_practices' },
    { help_type: 'error' },
    { help_type: 'error', context: { error_message: 'Domain "technical" requires technology to be specified' } },
    {
      help_type: 'error',
      context: { error_message: 'query: Too small: expected string to have >=10 characters', attempted_action: 'field_request' },
    },
    { help_type: 'error', context: { error_message: 'something nobody has ever seen', attempted_action: 'evaluate_semantic_conditon' } },
    { help_type: 'concept', specific_question: 'How deep is the ocean?' },
  ];
  for (const question of questions) {
    const { answer, sources, example, related } = await help(question);
    expect(answer.length).toBeGreaterThan(20);
    for (const source of sources) expect(source).toEqual({ title: expect.any(String), location: expect.any(String) });
    expect(related).toEqual(expect.any(Array));
    const entry = flowmind.catalog.find(example.tool);
    expect(entry?.tool.input.safeParse(example.parameters).success, JSON.stringify(example)).toBe(true);
  }
});

verifies('flowmind-help-result', 'for an error it gives the cause and the fix', async () => {
  const refusal = await flowmind.ask('field_request', {
    query: 'debug the python service',
    confidence_level: 0.7,
    extracted_variables: { domain: 'technical' },
  });
  const { answer, example } = await help({ help_type: 'error', context: { error_message: refusal.error.message } });
  expect(answer).toContain('Cause: extracted_variables has domain "technical" but no technology.');
  expect(answer).toContain('Fix: Add technology');
  expect((await flowmind.ask(example.tool, example.parameters)).success).toBe(true);
});

verifies('flowmind-help-result', 'a question is answered by the section that is about it', async () => {
  const { answer, sources } = await help({
    help_type: 'usage',
    specific_question: 'How do I go on with a workflow that waits for an answer?',
  });
  expect(answer).toContain('step_result');
  expect(sources[0].location).toMatch(/flowmind\.md#|tool:execute_workflow/);
  const named = await help({ help_type: 'usage', specific_question: 'Which arguments does list_available_contexts take?' });
  expect(named.example.tool).toBe('list_available_contexts');
  expect(named.sources[0].location).toBe('tool:list_available_contexts');
});
