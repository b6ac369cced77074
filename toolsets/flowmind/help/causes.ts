/** An error that people meet, with its cause and its fix. First match wins. */
export interface Cause {
  pattern: RegExp;
  code: string;
  cause: string;
  fix: string;
  tool?: string;
  example?: Record<string, unknown>;
}

const REQUEST = { query: 'Checkout system throwing 500 errors on payment processing', confidence_level: 0.7 };
const PLAIN_REQUEST = { tool: 'field_request', example: REQUEST };

export const CAUSES: readonly Cause[] = [
  {
    pattern: /requires technology|Technical domain/i,
    code: 'INVALID_VARIABLES',
    cause: 'extracted_variables has domain "technical" but no technology.',
    fix: 'Add technology to extracted_variables: a language, framework or platform that the user mentioned. If none was mentioned, leave domain out.',
    tool: 'field_request',
    example: { ...REQUEST, extracted_variables: { domain: 'technical', technology: 'javascript', system_component: 'checkout' } },
  },
  {
    pattern: /requires domain|missing_domain/i,
    code: 'INVALID_VARIABLES',
    cause: 'urgency is "critical" or "emergency" and domain is missing.',
    fix: 'Add domain to extracted_variables.',
    tool: 'field_request',
    example: { ...REQUEST, extracted_variables: { urgency: 'critical', domain: 'emergency' } },
  },
  {
    pattern: /fewer than three words|too brief|INVALID_QUERY|query.*(?:too small|at least 10|>=10)/i,
    code: 'INVALID_QUERY',
    cause: 'The query has fewer than three words, or fewer than ten characters.',
    fix: 'Say in one or two sentences what the user needs.',
    ...PLAIN_REQUEST,
  },
  {
    pattern: /confidence above 0\.9|High confidence|INVALID_CONFIDENCE/i,
    code: 'INVALID_CONFIDENCE',
    cause: 'confidence_level is above 0.9 with fewer than three extracted variables.',
    fix: 'Lower confidence_level to 0.9 or less, or extract at least three variables.',
    tool: 'field_request',
    example: { ...REQUEST, confidence_level: 0.8 },
  },
  {
    pattern: /RATE_LIMITED|too many|rate limit|429/i,
    code: 'RATE_LIMITED',
    cause: 'More calls in a minute, or more at once, than the tool allows a user.',
    fix: 'Wait as long as guidance.retry_after_ms says. Every further refused call makes the wait of field_request longer.',
  },
  {
    pattern: /opens at level|TOOL_LOCKED|your level is/i,
    code: 'TOOL_LOCKED',
    cause: 'The tool belongs to a higher level than yours.',
    fix: 'Successful calls with distinct arguments raise the level: 10 open intermediate, 50 advanced, unless the server sets other numbers. An owner can also grant a level.',
    ...PLAIN_REQUEST,
  },
  {
    pattern: /CONTEXT_LOCKED|has complexity|contexts up to/i,
    code: 'CONTEXT_LOCKED',
    cause: 'The context is more complex than your level runs: beginners run simple ones, intermediate users moderate ones.',
    fix: 'Choose a simpler context, or raise your level.',
    ...PLAIN_REQUEST,
  },
  {
    pattern: /CONTEXT_NOT_FOUND|no context (?:has|with|named)|workflow_uri must/i,
    code: 'CONTEXT_NOT_FOUND',
    cause: 'The URI names no context, or is not written like workflow://incident-response.',
    fix: 'Take the URI from a match of field_request, or from guidance.nearest of the error.',
    ...PLAIN_REQUEST,
  },
  {
    pattern: /SESSION_NOT_FOUND|no session with/i,
    code: 'SESSION_NOT_FOUND',
    cause: 'There is no session of yours with this id: it was mistyped, or it belongs to somebody else.',
    fix: 'Start again without session_id, or use the session_id of an earlier reply.',
    tool: 'execute_workflow',
  },
  {
    pattern: /QUESTION_NOT_ASKED|does not ask this question|ANSWER_EXPIRED/i,
    code: 'QUESTION_NOT_ASKED',
    cause: 'step_result answers a question that the session does not ask (any more).',
    fix: 'Call execute_workflow with workflow_uri and session_id alone: the reply shows the open question and its id.',
    tool: 'execute_workflow',
  },
  {
    pattern: /model_required/i,
    code: 'ANSWER_NEEDED',
    cause: 'An autonomous run came to a step that needs a language model, and none is configured.',
    fix: 'Continue in execution_mode "interactive" and do the steps yourself, or configure a model on the server.',
    tool: 'execute_workflow',
  },
  {
    pattern: /unknown argument|unrecognized key|is required|INVALID_ARGUMENTS/i,
    code: 'INVALID_ARGUMENTS',
    cause: 'An argument is missing, misspelt, or not of its type or range.',
    fix: 'Compare the call with the example below; guidance.errors of the reply names every field.',
  },
];

export function causeOf(message: string): Cause | undefined {
  return CAUSES.find((cause) => cause.pattern.test(message) || message.includes(cause.code));
}
