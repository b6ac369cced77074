import type { Failure, FailureCode } from '@millrace/kernel';

/** Every code that a failed call of a FlowMind tool can have, with what it means: a closed list. */
export const ERROR_CODES = {
  INVALID_ARGUMENTS: 'An argument is missing, unknown, or not of its type, length or range',
  INVALID_QUERY: 'The query of field_request is too brief to be matched',
  INVALID_VARIABLES: 'Variables are missing or do not fit what the request or the context needs',
  INVALID_CONFIDENCE: 'The stated confidence is not backed by the extracted variables',
  INVALID_ANSWER: 'The answer does not fit the question that was asked',
  INVALID_JUDGEMENT: 'The judgement token is expired, forged, or belongs to another evaluation',
  CONTEXT_NOT_FOUND: 'No context has this URI; the nearest ones are offered',
  CONTEXT_LOCKED: 'The context is more complex than your level allows',
  SESSION_NOT_FOUND: 'You have no session with this id',
  SESSION_CONFLICT: 'The session runs another context, or another call is at work on it',
  SESSION_ENDED: 'The session has ended and asks nothing any more',
  QUESTION_NOT_ASKED: 'The session does not ask this question',
  ANSWER_EXPIRED: 'The answer came after its question had expired',
  ANSWER_NEEDED: 'A person has to answer first',
  EXPRESSION_FAILED: 'An expression of the flow cannot be evaluated',
  COMPOSITION_REFUSED: 'The composed workflow would not work; nothing was saved',
  TOOL_NOT_FOUND: 'There is no such tool here',
  TOOL_LOCKED: 'The tool opens at a higher level',
  NOT_PERMITTED: 'This server or this user may not do that',
  NOT_SIGNED_IN: 'The call carries no valid identity',
  RATE_LIMITED: 'Too many calls; guidance says how long to wait',
  TIMED_OUT: 'The call took too long and was stopped',
  CANCELLED: 'The call, or the person who was asked, called it off',
  UNAVAILABLE: 'Something that is needed is not installed, not configured or cannot be reached',
  STORAGE_FAILED: 'The server could not read or write its own data',
  INTERNAL_ERROR: 'A mistake of the server; the id in the message finds its cause in the log',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

const CODE_OF: Record<FailureCode, ErrorCode> = {
  invalid_input: 'INVALID_ARGUMENTS',
  not_found: 'CONTEXT_NOT_FOUND',
  unknown_tool: 'TOOL_NOT_FOUND',
  forbidden: 'NOT_PERMITTED',
  locked: 'TOOL_LOCKED',
  unauthenticated: 'NOT_SIGNED_IN',
  rate_limited: 'RATE_LIMITED',
  timeout: 'TIMED_OUT',
  cancelled: 'CANCELLED',
  conflict: 'SESSION_CONFLICT',
  unavailable: 'UNAVAILABLE',
  upstream: 'UNAVAILABLE',
  answer_needed: 'ANSWER_NEEDED',
  storage: 'STORAGE_FAILED',
  internal: 'INTERNAL_ERROR',
};

/** A failure may name its published code in details.code; otherwise the kernel's code decides. */
export function errorCode(failure: Failure): ErrorCode {
  const named = failure.details['code'];
  return isErrorCode(named) ? named : CODE_OF[failure.code];
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
