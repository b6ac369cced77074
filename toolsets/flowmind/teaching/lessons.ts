import type { User } from '@millrace/kernel';
import type { z } from 'zod';
import type { FieldRequest, FieldRequestResult } from '../discovery/answer/request.ts';
import type { Domain } from '../flow/context.ts';
import type { HelpAnswer, HelpRequest } from '../help/help.ts';
import type {
  composeInput,
  composeResult,
  evaluateInput,
  evaluateResult,
  executeWorkflowInput,
  executeWorkflowResult,
  listInput,
  listResult,
} from '../schema.ts';

/** Milliseconds measured inside a call, for `_performance`. */
export interface Timings {
  /** In language models. */
  alpha_llm: number;
  search: number;
  assembly: number;
}

/** One finished call, as the teacher sees it. */
export interface FinishedCall {
  id: string;
  tool: string;
  user: User;
  input: unknown;
  result: unknown;
  timings: Timings;
}

interface Calls {
  field_request: { input: FieldRequest; result: FieldRequestResult };
  execute_workflow: { input: z.output<typeof executeWorkflowInput>; result: z.output<typeof executeWorkflowResult> };
  evaluate_semantic_condition: { input: z.output<typeof evaluateInput>; result: z.output<typeof evaluateResult> };
  list_available_contexts: { input: z.output<typeof listInput>; result: z.output<typeof listResult> };
  compose_workflow: { input: z.output<typeof composeInput>; result: z.output<typeof composeResult> };
  get_help: { input: HelpRequest; result: HelpAnswer };
}

type CallOf<Tool extends keyof Calls> = FinishedCall & Calls[Tool];

/** A tool's schemas have checked its input and its result. */
export function isCallOf<Tool extends keyof Calls>(call: FinishedCall, tool: Tool): call is CallOf<Tool> {
  return call.tool === tool;
}

/** What a caller can be taught: when it applies, how it is explained, and how we see that it is used. */
export interface Lesson<Call = FinishedCall> {
  /** The call shows that the caller does it. */
  used(call: Call): boolean;
  /** The call would have been better with it; undefined when it does not apply. `domain` is that of the best match. */
  taught(call: Call, domain?: Domain): Taught | undefined;
}

export interface Taught {
  message: string;
  tip?: string;
  pattern?: string;
  example?: Record<string, unknown>;
}

function lesson<Tool extends keyof Calls>(
  tool: Tool,
  id: string,
  { used, taught }: Lesson<CallOf<Tool>>,
): Lesson & { id: string; tool: Tool } {
  return {
    id,
    tool,
    used: (call) => isCallOf(call, tool) && used(call),
    taught: (call, domain) => (isCallOf(call, tool) ? taught(call, domain) : undefined),
  };
}

const variables = (call: CallOf<'field_request'>) => call.input.extracted_variables ?? {};

/** The variables that make a difference in each domain. */
const DOMAIN_VARIABLES: Record<string, readonly string[]> = {
  technical: ['error_type', 'system_component'],
  creative: ['creative_type', 'genre', 'audience'],
  business: ['business_area', 'stakeholder_count'],
  regulatory: ['jurisdiction', 'compliance_type'],
};

/** In the order in which they are worth learning. */
export const LESSONS: readonly (Lesson & { id: string; tool: string })[] = [
  lesson('field_request', 'domain', {
    used: (call) => variables(call).domain !== undefined,
    taught: (_call, domain = 'technical') => ({
      message: 'Good start! Try adding domain next time.',
      tip: 'Next time, include domain: contexts of that domain come first',
      pattern: 'query + domain = the right kind of context',
      example: domain === 'technical' ? { domain, technology: 'python' } : { domain },
    }),
  }),
  lesson('field_request', 'missing-variables', {
    used: (call) => (call.result.matches[0]?.variables.required.length ?? 0) > 0 && missing(call).length === 0,
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
  }),
  lesson('field_request', 'urgency', {
    used: (call) => variables(call).urgency !== undefined,
    taught: (call) =>
      variables(call).domain === undefined
        ? undefined
        : {
            message: 'Much better! Now you understand domains. Consider urgency too.',
            tip: 'Next time, include urgency: what burns is put first',
            pattern: 'domain + urgency = the right order',
            example: { urgency: 'high' },
          },
  }),
  lesson('field_request', 'domain-variables', {
    used: (call) => forDomain(call).some((name) => variables(call)[name] !== undefined),
    taught(call) {
      const [name] = forDomain(call);
      if (!name) return undefined;
      const domain = String(variables(call).domain);
      return {
        message: `For ${domain} requests, ${forDomain(call).join(' and ')} narrow it down most.`,
        tip: `Next time, include ${name} for faster matching`,
        pattern: `${domain} + ${forDomain(call).slice(0, 2).join(' + ')} = great match`,
        example: { [name]: EXAMPLE_VALUES[name] ?? 'checkout' },
      };
    },
  }),
  lesson('field_request', 'compose', {
    used: () => false,
    taught(call) {
      const domains = new Set(call.result.matches.slice(0, 3).map((match) => match.uri.split('/')[2]));
      const rich = Object.keys(variables(call)).length >= 3;
      if (!rich || domains.size < 2 || call.result.status !== 'disambiguation_needed') return undefined;
      return {
        message: 'Excellent variable extraction! You could use compose_workflow for this multi-domain case.',
        pattern: 'two contexts that both fit + compose_workflow = one run',
      };
    },
  }),
  lesson('execute_workflow', 'dry-run', {
    used: ({ input }) => input.dry_run === true,
    taught: ({ input }) =>
      input.session_id
        ? undefined
        : {
            message: 'dry_run shows every branch of a workflow before anything is done.',
            tip: 'Look before you run something new',
            example: { dry_run: true },
          },
  }),
  lesson('execute_workflow', 'step-result', {
    used: ({ input }) => input.step_result !== undefined,
    taught({ result }) {
      if (!result.question) return undefined;
      return {
        message: 'Do the instruction, then call again with the same workflow_uri, the session_id and step_result.',
        pattern: 'session_id + step_result = the next step',
        example: { step_result: { question_id: result.question.id, value: 'what came out of the step' } },
      };
    },
  }),
  lesson('evaluate_semantic_condition', 'detailed-evaluation', {
    used: ({ input }) => input.evaluation_type === 'detailed',
    taught: () => ({
      message: 'evaluation_type "detailed" adds the reasoning and the evidence.',
      example: { evaluation_type: 'detailed' },
    }),
  }),
  lesson('list_available_contexts', 'list-filter', {
    used: ({ input }) => input.filter !== undefined,
    taught: () => ({
      message: 'filter narrows the list by type, domain, tags and complexity.',
      example: { filter: { type: ['workflow'], domain: ['technical'] } },
    }),
  }),
  lesson('get_help', 'help-question', {
    used: ({ input }) => input.specific_question !== undefined || input.context !== undefined,
    taught: () => ({
      message: 'Ask a specific_question, or give the error_message: the answer is looked up for exactly that.',
      example: { specific_question: 'How do I continue a paused workflow?' },
    }),
  }),
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

function forDomain(call: CallOf<'field_request'>): readonly string[] {
  return DOMAIN_VARIABLES[String(variables(call).domain)] ?? [];
}

function missing(call: CallOf<'field_request'>): string[] {
  return call.result.matches[0]?.variables.missing ?? [];
}

/** A call that a user can make as it is. */
export interface NextAction {
  tool: string;
  reason: string;
  parameters: Record<string, unknown>;
}

/** Possible next calls, before checking whether this user may make them. */
export function proposedAfter(call: FinishedCall): NextAction[] {
  if (isCallOf(call, 'field_request')) return afterRequest(call.result);
  if (isCallOf(call, 'execute_workflow')) return afterRun(call.input.workflow_uri, call.result);
  if (isCallOf(call, 'compose_workflow')) {
    const { next_action } = call.result;
    return next_action ? [{ ...next_action, reason: 'The result can be used at once' }] : [];
  }
  if (isCallOf(call, 'list_available_contexts')) {
    const first = call.result.contexts.find((context) => context.type !== 'tool' && !context.locked);
    return first ? [previewOf(first.uri, `Preview of "${first.name}"`)] : [];
  }
  if (isCallOf(call, 'get_help')) return [{ ...call.result.example, reason: 'Try the example' }];
  return [];
}

function afterRequest({ status, matches }: FieldRequestResult): NextAction[] {
  const ready = matches
    .filter((match) => match.activation.can_execute)
    .slice(0, status === 'success' ? 1 : 2)
    .map((match): NextAction => ({ ...match.next_action, reason: reasonFor(match.name, match.confidence) }));
  const preview = matches
    .filter((match) => match.type !== 'tool')
    .slice(0, 1)
    .map((match) => previewOf(match.uri, `Preview of "${match.name}", without doing anything`));
  return [...ready, ...preview, ...(ready.length > 0 ? [] : [BROWSE, ASK_HELP])];
}

function reasonFor(name: string, confidence: number): string {
  return confidence >= 0.85 ? `High confidence match ready to execute: "${name}"` : `"${name}" matches and has all it needs`;
}

const BROWSE: NextAction = { tool: 'list_available_contexts', reason: 'See what there is', parameters: { pagination: { limit: 20 } } };

const ASK_HELP: NextAction = {
  tool: 'get_help',
  reason: 'Learn how to get a better answer',
  parameters: { help_type: 'usage', specific_question: 'How do I write a query that finds the right context?' },
};

function previewOf(workflow_uri: string, reason: string): NextAction {
  return { tool: 'execute_workflow', reason, parameters: { workflow_uri, dry_run: true } };
}

function afterRun(workflow_uri: string, { status, session_id }: { status: string; session_id: string | null }): NextAction[] {
  if (session_id === null) return [{ tool: 'execute_workflow', reason: 'Run it now', parameters: { workflow_uri } }];
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return [];
  const reason = 'Shows where the session stands; add step_result with your answer to continue';
  return [{ tool: 'execute_workflow', reason, parameters: { workflow_uri, session_id } }];
}
