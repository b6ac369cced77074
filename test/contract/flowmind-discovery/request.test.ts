import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import type { AnyReply } from '../../harness/flowmind-replies.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { verifies } from '../../requirements.ts';

let flowmind: TestFlowmind;

beforeAll(async () => {
  flowmind = await openFlowmind({
    files: {
      'debugging.yaml': workflowText('python-debugging', {
        name: 'Python debugging',
        description: 'Finds bugs in Python programs',
        examples: ['my python script crashes with a traceback', 'debug the python service', 'find the bug in my python code'],
      }),
      'cooking.yaml': workflowText('cooking', {
        name: 'Cooking',
        description: 'Cooks a meal',
        examples: ['cook dinner for six people', 'make a soup with vegetables', 'what can I cook tonight'],
      }),
    },
  });
});
afterAll(() => flowmind.close());

const QUERY = 'debug the python service that crashes';
const request = (parameters: Record<string, unknown> = {}): Promise<AnyReply> =>
  flowmind.ask('field_request', { query: QUERY, confidence_level: 0.7, ...parameters });
const variables = (extracted_variables: Record<string, unknown>) => request({ extracted_variables });

const refused = async (reply: Promise<AnyReply>, field: string) => {
  const { success, error, guidance } = await reply;
  expect(success).toBe(false);
  expect(error.code).toBe('INVALID_ARGUMENTS');
  expect(guidance.errors.map((each: { field: string }) => each.field)).toContain(field);
};

verifies('flowmind-request-required', 'a request needs a query of 10 to 500 characters and a confidence from 0 to 1', async () => {
  expect((await request()).success).toBe(true);
  await refused(request({ query: 'too short' }), 'query');
  await refused(request({ query: `a long query ${'x'.repeat(500)}` }), 'query');
  await refused(request({ query: undefined }), 'query');
  await refused(request({ confidence_level: undefined }), 'confidence_level');
  await refused(request({ confidence_level: 1.1 }), 'confidence_level');
  await refused(request({ confidence_level: -0.1 }), 'confidence_level');
  await refused(request({ confidence_level: 'high' }), 'confidence_level');
});

const ENUMS = {
  domain: ['technical', 'creative', 'business', 'regulatory', 'personal', 'emergency'],
  urgency: ['low', 'medium', 'high', 'critical', 'emergency'],
  complexity: ['simple', 'moderate', 'complex', 'expert'],
  user_sentiment: ['neutral', 'positive', 'frustrated', 'confused', 'urgent'],
  error_type: ['syntax', 'runtime', 'logic', 'performance', 'security'],
  creative_type: ['writing', 'design', 'music', 'art', 'video'],
  audience: ['children', 'young_adult', 'adult', 'professional', 'general'],
  business_area: ['strategy', 'operations', 'finance', 'marketing', 'hr', 'sales'],
  compliance_type: ['data_privacy', 'financial', 'healthcare', 'environmental', 'safety'],
};

async function checksEnums(names: (keyof typeof ENUMS)[]) {
  for (const name of names) {
    for (const value of ENUMS[name]) {
      const company = { technology: 'python', ...(name === 'domain' ? {} : { domain: 'technical' }) };
      expect((await variables({ ...company, [name]: value })).success).toBe(true);
    }
    await refused(variables({ [name]: 'something else' }), `extracted_variables.${name}`);
  }
}

verifies('flowmind-request-universal-variables', 'domain, urgency, complexity and user_sentiment are checked', () =>
  checksEnums(['domain', 'urgency', 'complexity', 'user_sentiment']),
);

verifies('flowmind-request-technical-creative-variables', 'technical and creative variables are checked', async () => {
  await checksEnums(['error_type', 'creative_type', 'audience']);
  for (const name of ['technology', 'system_component', 'genre']) {
    expect((await variables({ [name]: 'anything' })).success).toBe(true);
    await refused(variables({ [name]: 7 }), `extracted_variables.${name}`);
  }
});

verifies('flowmind-request-business-regulatory-variables', 'business and regulatory variables are checked', async () => {
  await checksEnums(['business_area', 'compliance_type']);
  for (const count of [1, 1000]) expect((await variables({ stakeholder_count: count })).success).toBe(true);
  for (const count of [0, 1001, 'many']) await refused(variables({ stakeholder_count: count }), 'extracted_variables.stakeholder_count');
  expect((await variables({ jurisdiction: 'Austin-TX' })).success).toBe(true);
  await refused(variables({ jurisdiction: 1 }), 'extracted_variables.jurisdiction');
});

verifies('flowmind-request-content-reference', 'content_reference is checked', async () => {
  const content = (fields: Record<string, unknown>) => request({ content_reference: fields });
  const whole = { has_large_content: true, content_summary: 'a log', content_file_path: '/x', key_entities: ['a'] };
  for (const content_type of ['document', 'code', 'data', 'mixed']) expect((await content({ ...whole, content_type })).success).toBe(true);
  await refused(content({ ...whole, content_type: 'video' }), 'content_reference.content_type');
  await refused(content({ content_summary: 'x' }), 'content_reference.has_large_content');
  await refused(content({ ...whole, content_summary: 'x'.repeat(1001) }), 'content_reference.content_summary');
  await refused(content({ ...whole, key_entities: Array.from({ length: 21 }, String) }), 'content_reference.key_entities');
  await refused(content({ ...whole, content_file_path: 3 }), 'content_reference.content_file_path');
});

verifies(
  ['flowmind-rule-technology', 'flowmind-rule-technology-guidance', 'flowmind-error-partial-results'],
  'technical needs technology',
  async () => {
    const { success, error, guidance, partial_results } = await variables({ domain: 'technical' });
    expect(success).toBe(false);
    expect(error.code).toBe('INVALID_VARIABLES');
    expect(error.message).toBe('Domain "technical" requires technology to be specified');
    expect(error.fix).toEqual({
      instruction: 'Add technology to extracted_variables',
      example: { technology: 'python' },
      why: 'Technical workflows are organized by technology stack',
    });
    expect(guidance.errors).toEqual([
      {
        field: 'extracted_variables.technology',
        issue: 'Technical domain requires technology',
        suggestion: 'Specify the primary technology involved',
      },
    ]);
    expect(guidance.common_technologies).toEqual(['python', 'javascript', 'java', 'react', 'aws']);
    expect(guidance.detection_hint).toBe('Look for language names, frameworks, or platforms in user message');
    expect(partial_results.blocked_by).toBe('missing_technology_variable');
    expect(partial_results.message).toContain('workflow://python-debugging');
  },
);

verifies('flowmind-rule-urgency-domain', 'critical and emergency need a domain', async () => {
  for (const urgency of ['critical', 'emergency']) {
    const { success, error, partial_results } = await variables({ urgency });
    expect(success).toBe(false);
    expect(error.code).toBe('INVALID_VARIABLES');
    expect(error.fix.instruction).toBe('Add domain to extracted_variables');
    expect(partial_results.blocked_by).toBe('missing_domain_variable');
  }
  expect((await variables({ urgency: 'critical', domain: 'personal' })).success).toBe(true);
});

verifies('flowmind-rule-brief-query', 'a query of fewer than three words is refused', async () => {
  const { success, error, guidance, partial_results } = await request({ query: 'debugging python' });
  expect(success).toBe(false);
  expect(error.code).toBe('INVALID_QUERY');
  expect(guidance.errors).toEqual([{ field: 'query', issue: 'Too brief', suggestion: 'Add more context: what, why, or how' }]);
  expect(partial_results).toEqual({ message: expect.any(String), blocked_by: 'brief_query' });
});

verifies('flowmind-rule-confidence-honesty', 'high confidence needs three variables', async () => {
  const { success, error, guidance } = await request({ confidence_level: 0.95 });
  expect(success).toBe(false);
  expect(error.code).toBe('INVALID_CONFIDENCE');
  expect(guidance.errors).toEqual([
    { field: 'confidence_level', issue: 'High confidence with few variables', suggestion: 'Lower confidence or extract more variables' },
  ]);
  expect((await request({ confidence_level: 0.9 })).success).toBe(true);
  expect((await request({ confidence_level: 0.95, extracted_variables: { a: 1, b: 2, c: 3 } })).success).toBe(true);
});

verifies('flowmind-rules-listed-together', 'one reply lists every broken rule', async () => {
  const { guidance } = await flowmind.ask('field_request', {
    query: 'debugging python',
    confidence_level: 0.95,
    extracted_variables: { domain: 'technical' },
  });
  expect(guidance.errors).toEqual([
    { field: 'query', issue: 'Too brief', suggestion: 'Add more context: what, why, or how' },
    {
      field: 'extracted_variables.technology',
      issue: 'Technical domain requires technology',
      suggestion: 'Specify the primary technology involved',
    },
    { field: 'confidence_level', issue: 'High confidence with few variables', suggestion: 'Lower confidence or extract more variables' },
  ]);
});

verifies('flowmind-rules-need-the-value', 'the rules fire on a value, never on its absence', async () => {
  const domain = fc.option(fc.constantFrom(...ENUMS.domain), { nil: undefined });
  const urgency = fc.option(fc.constantFrom(...ENUMS.urgency), { nil: undefined });
  const technology = fc.option(fc.constantFrom('python', 'aws'), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(domain, urgency, technology, fc.boolean(), async (domain, urgency, technology, absent) => {
      const given = Object.fromEntries(Object.entries({ domain, urgency, technology }).filter(([, value]) => value !== undefined));
      const extracted = absent && Object.keys(given).length === 0 ? {} : { extracted_variables: given };
      const { success, guidance } = await request(extracted);
      const expected = [
        ...(domain === 'technical' && technology === undefined ? ['extracted_variables.technology'] : []),
        ...((urgency === 'critical' || urgency === 'emergency') && domain === undefined ? ['extracted_variables.domain'] : []),
      ];
      expect(success).toBe(expected.length === 0);
      if (!success) expect(guidance.errors.map((each: { field: string }) => each.field)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

verifies('flowmind-error-pattern', 'arguments that are refused come with a call that is taken', async () => {
  const wrong: [string, Record<string, unknown>][] = [
    ['field_request', { query: 'short', confidence_level: 0.7 }],
    ['field_request', { query: QUERY, confidence_level: 7 }],
    ['evaluate_semantic_condition', {}],
    ['list_available_contexts', { pagination: { limit: 0 } }],
    ['get_help', { help_type: 'nothing' }],
  ];
  for (const [tool, parameters] of wrong) {
    const { success, error } = await flowmind.ask(tool, parameters);
    expect(success).toBe(false);
    expect(error.fix.example.tool).toBe(tool);
    expect(await flowmind.ask(error.fix.example.tool, error.fix.example.parameters), tool).toMatchObject({ success: true });
  }
});
