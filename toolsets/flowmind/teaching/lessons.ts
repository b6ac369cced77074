import type { FieldRequest, FieldRequestResult } from '../discovery/request.ts';
import type { FinishedCall } from '../ports.ts';

/** What a caller can be taught: when it applies, how it is said, and how one sees that it is used. */
export interface Lesson {
  id: string;
  tool: string;
  /** The call shows that the caller does it. */
  used(call: FinishedCall): boolean;
  /** The call would have been better with it. Undefined when it does not apply. */
  taught(call: FinishedCall): Taught | undefined;
}

export interface Taught {
  message: string;
  tip?: string;
  pattern?: string;
  example?: Record<string, unknown>;
}

const request = (call: FinishedCall) => call.input as FieldRequest;
const found = (call: FinishedCall) => call.result as FieldRequestResult;
const variables = (call: FinishedCall): Record<string, unknown> => request(call).extracted_variables ?? {};
const input = (call: FinishedCall) => (call.input ?? {}) as Record<string, unknown>;

/** The variables that make a difference in each domain. */
const DOMAIN_VARIABLES: Record<string, readonly string[]> = {
  technical: ['error_type', 'system_component'],
  creative: ['creative_type', 'genre', 'audience'],
  business: ['business_area', 'stakeholder_count'],
  regulatory: ['jurisdiction', 'compliance_type'],
};

/** In the order in which they are worth learning. */
export const LESSONS: readonly Lesson[] = [
  {
    id: 'domain',
    tool: 'field_request',
    used: (call) => variables(call)['domain'] !== undefined,
    taught: (call) => ({
      message: 'Good start! Try adding domain next time.',
      tip: 'Next time, include domain: contexts of that domain come first',
      pattern: 'query + domain = the right kind of context',
      example: exampleOfDomain(call),
    }),
  },
  {
    id: 'missing-variables',
    tool: 'field_request',
    used: (call) => (found(call).matches[0]?.variables.required.length ?? 0) > 0 && missing(call).length === 0,
    taught(call) {
      const [name, ...others] = missing(call);
      if (!name) return undefined;
      return {
        message: `The match needs ${[name, ...others].join(', ')}: extract ${others.length > 0 ? 'them' : 'it'} from what the user said, or ask.`,
        tip: `Next time, include ${name} for faster matching`,
        pattern: 'query + what the context asks for = ready to run',
        example: { [name]: `what the user said about ${name.replaceAll('_', ' ')}` },
      };
    },
  },
  {
    id: 'urgency',
    tool: 'field_request',
    used: (call) => variables(call)['urgency'] !== undefined,
    taught: (call) =>
      variables(call)['domain'] === undefined
        ? undefined
        : {
            message: 'Much better! Now you understand domains. Consider urgency too.',
            tip: 'Next time, include urgency: what burns is put first',
            pattern: 'domain + urgency = the right order',
            example: { urgency: 'high' },
          },
  },
  {
    id: 'domain-variables',
    tool: 'field_request',
    used: (call) => forDomain(call).some((name) => variables(call)[name] !== undefined),
    taught(call) {
      const [name] = forDomain(call);
      if (!name) return undefined;
      const domain = String(variables(call)['domain']);
      return {
        message: `For ${domain} requests, ${forDomain(call).join(' and ')} narrow it down most.`,
        tip: `Next time, include ${name} for faster matching`,
        pattern: `${domain} + ${forDomain(call).slice(0, 2).join(' + ')} = great match`,
        example: { [name]: EXAMPLE_VALUES[name] ?? 'checkout' },
      };
    },
  },
  {
    id: 'compose',
    tool: 'field_request',
    used: () => false,
    taught(call) {
      const domains = new Set(
        found(call)
          .matches.slice(0, 3)
          .map((match) => match.uri.split('/')[2]),
      );
      const rich = Object.keys(variables(call)).length >= 3;
      if (!rich || domains.size < 2 || found(call).status !== 'disambiguation_needed') return undefined;
      return {
        message: 'Excellent variable extraction! You could use compose_workflow for this multi-domain case.',
        pattern: 'two contexts that both fit + compose_workflow = one run',
      };
    },
  },
  {
    id: 'dry-run',
    tool: 'execute_workflow',
    used: (call) => input(call)['dry_run'] === true,
    taught: (call) =>
      input(call)['session_id']
        ? undefined
        : {
            message: 'dry_run shows every branch of a workflow before anything is done.',
            tip: 'Look before you run something new',
            example: { dry_run: true },
          },
  },
  {
    id: 'step-result',
    tool: 'execute_workflow',
    used: (call) => input(call)['step_result'] !== undefined,
    taught(call) {
      const result = (call.result ?? {}) as { question?: { id: string } | null };
      if (!result.question) return undefined;
      return {
        message: 'Do the instruction, then call again with the same workflow_uri, the session_id and step_result.',
        pattern: 'session_id + step_result = the next step',
        example: { step_result: { question_id: result.question.id, value: 'what came out of the step' } },
      };
    },
  },
  {
    id: 'detailed-evaluation',
    tool: 'evaluate_semantic_condition',
    used: (call) => input(call)['evaluation_type'] === 'detailed',
    taught: () => ({
      message: 'evaluation_type "detailed" adds the reasoning and the evidence.',
      example: { evaluation_type: 'detailed' },
    }),
  },
  {
    id: 'list-filter',
    tool: 'list_available_contexts',
    used: (call) => input(call)['filter'] !== undefined,
    taught: () => ({
      message: 'filter narrows the list by type, domain, tags and complexity.',
      example: { filter: { type: ['workflow'], domain: ['technical'] } },
    }),
  },
  {
    id: 'help-question',
    tool: 'get_help',
    used: (call) => input(call)['specific_question'] !== undefined || input(call)['context'] !== undefined,
    taught: () => ({
      message: 'Ask a specific_question, or give the error_message: the answer is looked up for exactly that.',
      example: { specific_question: 'How do I continue a paused workflow?' },
    }),
  },
];

const EXAMPLE_VALUES: Record<string, unknown> = {
  error_type: 'runtime',
  system_component: 'checkout',
  creative_type: 'writing',
  genre: 'mystery',
  audience: 'general',
  business_area: 'marketing',
  stakeholder_count: 12,
  jurisdiction: 'EU',
  compliance_type: 'data_privacy',
};

function forDomain(call: FinishedCall): readonly string[] {
  return DOMAIN_VARIABLES[String(variables(call)['domain'])] ?? [];
}

function missing(call: FinishedCall): string[] {
  return found(call).matches[0]?.variables.missing ?? [];
}

/** From what this caller asked for: the domain that its best match has. */
function exampleOfDomain(call: FinishedCall): Record<string, unknown> {
  const domain = (call as { domain?: string }).domain ?? 'technical';
  return domain === 'technical' ? { domain, technology: 'python' } : { domain };
}
