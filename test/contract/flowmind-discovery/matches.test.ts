import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import type { AnyReply } from '../../harness/flowmind-replies.ts';
import { user } from '../../harness/millrace.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { verifies } from '../../requirements.ts';

let flowmind: TestFlowmind;

beforeAll(async () => {
  flowmind = await openFlowmind({
    library: true,

    files: {
      'hotel.yaml': workflowText('hotel-booking', {
        name: 'Hotel booking',
        description: 'Books a hotel room',
        examples: ['book a hotel room for the weekend', 'find me a hotel in the city centre', 'reserve a room for two nights'],
      }),
      'hostel.yaml': workflowText('hostel-booking', {
        name: 'Hostel booking',
        description: 'Books a bed in a hostel',
        examples: ['book a bed in a hostel for the weekend', 'find me a hostel in the city centre', 'reserve a bed for two nights'],
        more: 'variables:\n  beds: { type: integer, description: How many beds are needed }\n',
      }),
    },
  });
  await flowmind.services.discovery.ready();
}, 60_000);
afterAll(() => flowmind.close());

const request = (
  query: string,
  parameters: Record<string, unknown> = {},
  as?: Parameters<TestFlowmind['envelope']>[2],
): Promise<AnyReply> => flowmind.ask('field_request', { query, confidence_level: 0.7, ...parameters }, as);

const INCIDENT = 'our checkout is throwing 500 errors and customers cannot pay';
const INCIDENT_VARIABLES = { domain: 'technical', technology: 'node', system_component: 'checkout' };

verifies('flowmind-status-success', 'one clear match is a success', async () => {
  const { success, result } = await request('turn the notes of my meeting into todos');
  expect(success).toBe(true);
  expect(result.status).toBe('success');
  expect(result.matches[0].uri).toBe('workflow://meeting-to-todos');
  expect(result).not.toHaveProperty('disambiguation');
});

verifies('flowmind-status-disambiguation', 'two that fit alike are told apart by questions', async () => {
  const { result } = await request('I need a place to sleep in the city for the weekend, book a room or a bed');
  expect(result.status).toBe('disambiguation_needed');
  expect(result.disambiguation).toEqual({
    needed: true,
    reason: expect.stringContaining('workflow://ho'),
    questions: expect.arrayContaining([{ question: expect.any(String), why: expect.any(String), variable_captured: expect.any(String) }]),
  });
  const [question] = result.disambiguation.questions;
  const answered = await request('I need a place to sleep in the city for the weekend, book a room or a bed', {
    extracted_variables: { [question.variable_captured]: true },
  });
  expect(answered.result.status).toBe('success');
  expect(question.why).toContain(answered.result.matches[0].uri);
});

verifies('flowmind-status-success', 'a request that is an example word for word leaves nothing to ask', async () => {
  for (const context of (await flowmind.services.registry.all('owner')).filter(({ uri }) => uri.startsWith('workflow://'))) {
    const [query = ''] = context.examples.filter((example) => example.length >= 10 && example.split(' ').length >= 3);
    if (!query) continue;
    const { result } = await request(query, {}, user(context.id, 'advanced'));
    expect(result.matches[0]?.uri, query).toBe(context.uri);
    expect(result.status, query).not.toBe('disambiguation_needed');
  }
});

verifies('flowmind-status-refinement', 'a weak match is shown, not run, with what to add', async () => {
  const { result } = await request('book me a flight to denver');
  expect(result.status).toBe('refinement_suggested');
  expect(result.matches[0].activation.can_execute).toBe(false);
  expect(result.guidance.message).toContain('too weak');
  expect(result.guidance.suggestions.length).toBeGreaterThan(0);
});

verifies('flowmind-status-no-matches', 'what fits nothing is offered nothing', async () => {
  for (const query of ['what is the capital of mongolia', 'how tall is mount everest', 'who won the world series in 1998']) {
    const { success, result } = await request(query);
    expect(success).toBe(true);
    expect(result.status).toBe('no_matches');
    expect(result.matches).toEqual([]);
    expect(result.why_not.length).toBeGreaterThan(0);
    for (const near of result.why_not)
      expect(near).toEqual({
        uri: expect.any(String),
        name: expect.any(String),
        confidence: expect.any(Number),
        reason: expect.any(String),
      });
  }
});

verifies('flowmind-status-content-processing', 'large content must be summed up, or readable below the workspace', async () => {
  const content = (fields: Record<string, unknown>) =>
    request('check this contract before I sign it', { content_reference: { has_large_content: true, ...fields } });
  const status = async (fields: Record<string, unknown>) => (await content(fields)).result.status;
  expect(await status({})).toBe('content_processing_required');
  expect(await status({ content_file_path: 'drafts/missing.txt' })).toBe('content_processing_required');
  expect(await status({ content_file_path: '/etc/hostname' })).toBe('content_processing_required');
  expect(await status({ content_file_path: '../millrace.db' })).toBe('content_processing_required');
  await mkdir(join(flowmind.workspace, 'drafts'), { recursive: true });
  await writeFile(join(flowmind.workspace, 'drafts/contract.txt'), 'The parties agree');
  expect(await status({ content_file_path: 'drafts/contract.txt' })).toBe('success');
  expect(await status({ content_summary: 'A lease for a flat' })).toBe('success');
  expect((await request('check this contract before I sign it', { content_reference: { has_large_content: false } })).result.status).toBe(
    'success',
  );
});

verifies(
  [
    'flowmind-match-reasoning',
    'flowmind-match-activation',
    'flowmind-match-execution-preview',
    'flowmind-request-guidance',
    'flowmind-request-metadata',
  ],
  'a match says why, when, with what and how',
  async () => {
    const { result } = await request(INCIDENT, { extracted_variables: INCIDENT_VARIABLES });
    const [match] = result.matches;
    expect(match).toMatchObject({ uri: 'workflow://incident-response', type: 'workflow' });
    expect(match.match_reasoning).toEqual({
      semantic_similarity: expect.any(Number),
      variable_alignment: 0.5,
      domain_match: true,
      explanation: expect.stringContaining('error_description still missing'),
    });
    expect(match.match_reasoning.semantic_similarity).toBeGreaterThan(0.3);
    expect(match.activation).toMatchObject({
      condition: 'User reports production impact with high urgency',
      confidence_required: 0.75,
      your_confidence: 0.7,
      can_execute: false,
    });
    expect(match.variables).toEqual({
      required: ['system_component', 'error_description'],
      optional: ['affected_users', 'duration'],
      provided: ['system_component'],
      missing: ['error_description'],
    });
    expect(match.execution_preview).toEqual({
      type: 'recursive_workflow',
      estimated_steps: expect.stringMatching(/^\d+/),
      contexts_involved: ['agent://debugger', 'agent://communicator'],
      stopping_condition: 'Issue resolved or escalated',
    });
    expect(result.guidance).toEqual({
      message: expect.any(String),
      suggestions: expect.arrayContaining(['Ask user: "What specific error or behavior are you seeing?"']),
      teaching: {
        insight: expect.any(String),
        better_query_example: expect.any(String),
        variables_that_would_help: expect.arrayContaining(['error_description']),
      },
    });
    expect(result._metadata).toMatchObject({ cache_hit: false, alpha_llm_calls: 0, indices_used: ['vector_similarity', 'tfidf'] });
    expect(result._metadata.contexts_searched).toBe((await flowmind.services.registry.all('owner')).length);
    expect(result._metadata.search_time_ms).toBeGreaterThan(0);
    expect((await request(INCIDENT, { extracted_variables: INCIDENT_VARIABLES })).result._metadata.cache_hit).toBe(true);
  },
);

verifies('flowmind-request-custom-variables', 'a variable of one’s own counts where a context asks for it', async () => {
  const { result } = await request('walk me through publishing the next version of our product', {
    extracted_variables: { product: 'Acme', mood: 'good' },
  });
  expect(result.matches[0]).toMatchObject({ uri: 'workflow://release', variables: { provided: ['product'], missing: [] } });
});

verifies('flowmind-request-type-filter', 'type_filter leaves other types out', async () => {
  for (const type of ['workflow', 'agent', 'pattern']) {
    const { result } = await request('find the root cause of the problem that keeps coming back', {
      context_preferences: { type_filter: [type] },
    });
    expect(result.matches.length).toBeGreaterThan(0);
    for (const match of result.matches) expect(match.type).toBe(type);
    expect(result._metadata.indices_used).toContain('type_filtered');
  }
  expect((await request('help me find out why our program crashes', { context_preferences: { type_filter: ['document'] } })).success).toBe(
    false,
  );
});

verifies('flowmind-request-max-results', 'no more matches come back than wanted', async () => {
  const query = 'help me plan the work of my team for the next quarter';
  expect((await request(query)).result.matches.length).toBeLessThanOrEqual(5);
  for (const max_results of [1, 2, 10]) {
    const { result } = await request(query, { context_preferences: { max_results } });
    expect(result.matches.length).toBeLessThanOrEqual(max_results);
    expect(result.matches.length).toBeGreaterThan(0);
  }
  for (const max_results of [0, 11]) expect((await request(query, { context_preferences: { max_results } })).success).toBe(false);
});

verifies('flowmind-request-include-explanations', 'explanations can be left out', async () => {
  const explained = (await request(INCIDENT)).result.matches[0].match_reasoning;
  expect(explained.explanation).toEqual(expect.any(String));
  const plain = await request(INCIDENT, { context_preferences: { include_explanations: false } });
  expect(plain.result.matches[0].match_reasoning).not.toHaveProperty('explanation');
});

const QUERIES = fc.constantFrom(
  INCIDENT,
  'plan a week in portugal for my family',
  'review the pull request before I merge it',
  'somebody asked us to delete their personal data',
  'write a blog post about gardening for beginners',
  'how many moons does jupiter have',
  'book a bed or a room for two nights',
  'we need a budget for the new project next year',
);
const VARIABLES = fc.record(
  {
    domain: fc.constantFrom('business', 'personal', 'creative', 'regulatory'),
    system_component: fc.constantFrom('checkout', ''),
    error_description: fc.constantFrom('500 errors', 7),
    product: fc.string({ minLength: 1, maxLength: 20 }),
    amount: fc.integer({ min: -5, max: 5 }),
    anything: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);

verifies(
  ['flowmind-match-order', 'flowmind-match-can-execute', 'flowmind-match-variables'],
  'matches fall in confidence; what can run follows from the match, never from the caller’s confidence',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        QUERIES,
        VARIABLES,
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        async (query, extracted_variables, confidence_level) => {
          const { result } = await request(query, { extracted_variables, confidence_level });
          const other = await request(query, { extracted_variables, confidence_level: 0.9 - confidence_level });
          let last = 1;
          for (const [at, match] of result.matches.entries()) {
            expect(match.confidence).toBeGreaterThanOrEqual(0);
            expect(match.confidence).toBeLessThanOrEqual(last);
            last = match.confidence;
            const { required, optional, provided, missing } = match.variables;
            expect(missing).toEqual(required.filter((name: string) => !provided.includes(name)));
            for (const name of provided) expect([...required, ...optional]).toContain(name);
            expect(match.activation.your_confidence).toBe(confidence_level);
            if (missing.length > 0 || match.confidence < match.activation.confidence_required)
              expect(match.activation.can_execute).toBe(false);
            expect(other.result.matches[at].activation.can_execute).toBe(match.activation.can_execute);
          }
        },
      ),
      { numRuns: 40 },
    );
  },
  60_000,
);

verifies('flowmind-match-next-action', 'a match that can run does so when its next_action is sent as it stands', async () => {
  const { result } = await request(INCIDENT, {
    extracted_variables: { ...INCIDENT_VARIABLES, error_description: 'payments answer with 500', urgency: 'critical' },
  });
  const [match] = result.matches;
  expect(match.activation.can_execute).toBe(true);
  expect(match.next_action).toEqual({
    tool: 'execute_workflow',
    parameters: {
      workflow_uri: 'workflow://incident-response',
      initial_variables: expect.objectContaining({
        system_component: 'checkout',
        urgency: 'critical',
        error_description: 'payments answer with 500',
      }),
    },
  });
  const run = await flowmind.ask(match.next_action.tool, match.next_action.parameters);
  expect(run.success).toBe(true);
  expect(run.result).toMatchObject({
    status: 'awaiting_step',
    current_step: 'Assess the impact',
    variables: { system_component: 'checkout' },
  });
});

verifies(
  'flowmind-next-actions',
  'every next action is a call that this user may make as it stands',
  async () => {
    const people = [user('new-here'), user('half-way', 'intermediate'), user('expert', 'advanced')];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...people), QUERIES, async (who, query) => {
        const { next_actions } = await request(query, {}, who);
        for (const { tool, reason, parameters } of next_actions) {
          expect(reason).toEqual(expect.any(String));
          expect((await flowmind.ask(tool, parameters, who)).success).toBe(true);
        }
      }),
      { numRuns: 15 },
    );
    const { next_actions } = await request('turn the notes of my meeting into todos', {}, people[2]);
    expect(next_actions[0]).toMatchObject({ tool: 'execute_workflow', parameters: { workflow_uri: 'workflow://meeting-to-todos' } });
  },
  60_000,
);
