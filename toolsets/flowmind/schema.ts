import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { STATUSES } from './execution/session-store.ts';
import { COMPLEXITIES, CONTEXT_TYPES, DOMAINS } from './flow/context.ts';
import { APPROVALS, MODES, stepContext } from './flow/state.ts';

export const CONTEXT_URI = /^(workflow|agent|pattern):\/\/[a-z0-9-]+(\/[a-z0-9-]+)*$/;

const anything = z.record(z.string(), z.unknown());
const share = z.number().min(0).max(1);

export const executeWorkflowInput = z.strictObject({
  workflow_uri: z
    .string()
    .regex(CONTEXT_URI, 'workflow_uri must look like workflow://incident-response, agent://technical-advisor or pattern://name')
    .describe('Workflow URI (e.g., workflow://incident-response, agent://technical-advisor)'),
  initial_variables: anything.optional().describe('Variables to initialize the workflow with'),
  execution_mode: z
    .enum(MODES)
    .optional()
    .meta({ default: 'interactive' })
    .describe(
      'Execution mode:\n- interactive: Pause for user input when needed\n- autonomous: Run to completion without interaction\n- step_confirm: Confirm before each major step',
    ),
  session_id: quietLimits(z.string().max(200))
    .optional()
    .describe('Session ID to continue existing workflow (leave empty for new session)'),
  confidence_override: z
    .strictObject({
      min_confidence: share.optional().describe('Minimum confidence for autonomous decisions'),
      require_confirmation_below: share.optional().describe('Require confirmation for actions below this confidence'),
    })
    .optional()
    .describe('Confidence limits'),
  constraints: z
    .strictObject({
      max_steps: z.number().int().min(1).max(100).optional().meta({ default: 50 }).describe('Maximum steps before requiring confirmation'),
      max_duration_ms: z
        .number()
        .min(1000)
        .max(600_000)
        .optional()
        .meta({ default: 300_000 })
        .describe('Maximum execution time (ms) before timeout'),
      require_approval_for: z.array(z.enum(APPROVALS)).optional().describe('Actions requiring explicit approval'),
    })
    .optional()
    .describe('Limits'),
  step_result: z
    .strictObject({
      question_id: quietLimits(z.string().min(1).max(200)),
      value: z.unknown().describe('Answer or result'),
    })
    .optional()
    .describe('Answer to the open question'),
  dry_run: z.boolean().optional().describe('Only show what would be done'),
});

export const nextAction = z.object({ tool: z.string(), parameters: anything });

export const executeWorkflowResult = z.object({
  session_id: z.string().nullable(),
  status: z.enum(STATUSES),
  reason: z.string().nullable(),
  current_step: z.string().nullable(),
  instruction: z.string().nullable(),
  context: stepContext.nullable(),
  question: z.object({ id: z.string(), text: z.string(), schema: anything }).nullable(),
  variables: anything,
  output: z.unknown(),
  steps_done: z.number().int(),
  next_action: nextAction.nullable(),
  error: z.object({ code: z.string(), message: z.string(), step: z.string() }).nullable(),
  notice: z.string().nullable(),
});

export const evaluateInput = z.strictObject({
  condition: z
    .string()
    .min(1)
    .max(200)
    .meta({ minLength: undefined })
    .describe('Natural language condition to evaluate (e.g., "user seems frustrated")'),
  context: z
    .strictObject({
      user_message: z.string().max(1000).describe('Recent user message to evaluate against'),
      conversation_summary: z.string().max(500).optional().describe('Summary of conversation context'),
      session_variables: anything.optional().describe('Current session variables'),
    })
    .describe('Context'),
  evaluation_type: z
    .enum(['boolean', 'confidence', 'detailed'])
    .default('confidence')
    .describe(
      'Evaluation type:\n- boolean: Simple true/false\n- confidence: Boolean + confidence score\n- detailed: Full analysis with reasoning',
    ),
  judgement: z
    .strictObject({
      token: quietLimits(z.string().min(1).max(500)),
      result: z.boolean().nullable().describe('null if you cannot tell'),
      confidence: quietLimits(share).optional(),
      reasoning: quietLimits(z.string().max(500)).optional(),
    })
    .optional()
    .describe('Your verdict'),
});

export const evaluateResult = z.object({
  result: z.boolean().nullable(),
  status: z.enum(['decided', 'unknown', 'needs_judgement']),
  confidence: share.optional(),
  evaluator: z.enum(['expression', 'predicate', 'examples', 'model', 'caller', 'none']),
  reasoning: z.string().optional(),
  evidence: z.array(z.string()).optional(),
  judgement_token: z.string().optional(),
});

export const ROLES = ['primary', 'support', 'validation', 'synthesis'] as const;
export const FLOW_TYPES = ['sequential', 'parallel', 'conditional', 'iterative'] as const;

export const composeInput = z.strictObject({
  name: quietLimits(
    z
      .string()
      .min(1)
      .max(80)
      .regex(/^[a-z0-9-]+$/, 'name must be small letters, digits and hyphens'),
  ).describe('Name for the composed workflow'),
  description: z.string().max(500).optional().describe('What this workflow accomplishes'),
  components: z
    .array(
      z.strictObject({
        uri: quietLimits(z.string().min(1).max(300)).describe('Context URI to include'),
        role: z.enum(ROLES).describe('Role of this component'),
        when: quietLimits(z.string().min(1).max(500)).optional().describe('Condition for including this component'),
        configuration: anything.optional().describe('Component-specific configuration'),
      }),
    )
    .min(2)
    .max(10)
    .describe('Contexts, in order'),
  flow_type: z.enum(FLOW_TYPES).describe('How components are executed'),
  variables: z
    .strictObject({
      required: z
        .array(quietLimits(z.string().min(1)))
        .optional()
        .describe('Required variables for this workflow'),
      optional: z
        .array(quietLimits(z.string().min(1)))
        .optional()
        .describe('Optional variables'),
    })
    .optional()
    .describe('Its variables'),
  save: z.boolean().default(false).describe('Save this workflow for future use'),
});

export const composeResult = z.object({
  uri: z.string(),
  definition: z.string(),
  saved_path: z.string().nullable(),
  checks: z.array(z.object({ severity: z.enum(['error', 'warning', 'info']), message: z.string(), component: z.string().nullable() })),
  next_action: nextAction.nullable(),
});

export const listInput = z.strictObject({
  filter: z
    .strictObject({
      type: z.array(z.enum(CONTEXT_TYPES)).describe('Filter by context type').optional(),
      domain: z.array(z.enum(DOMAINS)).describe('Filter by domain').optional(),
      tags: z.array(z.string()).describe('Filter by tags').optional(),
      complexity: z.enum(COMPLEXITIES).describe('Filter by complexity level').optional(),
    })
    .describe('Filters')
    .optional(),
  sort: z
    .strictObject({
      by: z.enum(['name', 'popularity', 'recent', 'relevance']).default('relevance'),
      order: z.enum(['asc', 'desc']).default('desc'),
    })
    .describe('Order')
    .optional(),
  pagination: z
    .strictObject({
      offset: z.number().min(0).default(0),
      limit: z.number().min(1).max(50).default(20),
    })
    .describe('Page')
    .optional(),
});

export const listResult = z.object({
  contexts: z.array(
    z.object({
      uri: z.string(),
      type: z.enum(CONTEXT_TYPES),
      name: z.string(),
      description: z.string(),
      domain: z.enum(DOMAINS).nullable(),
      tags: z.array(z.string()),
      complexity: z.enum(COMPLEXITIES),
      popularity: z.number(),
      updated_at: z.string().nullable(),
      locked: z.boolean(),
    }),
  ),
  total: z.number(),
  offset: z.number(),
  limit: z.number(),
});
