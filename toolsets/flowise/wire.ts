import { type Failure, type FailureCode, type JsonSchema, jsonReply, outputJsonSchema, type Tool, type Wire } from '@millrace/kernel';

type ErrorType =
  | 'ConnectionError'
  | 'AuthenticationError'
  | 'ValidationError'
  | 'NotFoundError'
  | 'RateLimitError'
  | 'TimeoutError'
  | 'UnexpectedError';

const TYPES: Record<FailureCode, ErrorType> = {
  invalid_input: 'ValidationError',
  not_found: 'NotFoundError',
  unknown_tool: 'NotFoundError',
  forbidden: 'AuthenticationError',
  locked: 'AuthenticationError',
  unauthenticated: 'AuthenticationError',
  rate_limited: 'RateLimitError',
  timeout: 'TimeoutError',
  cancelled: 'UnexpectedError',
  conflict: 'ValidationError',
  unavailable: 'ConnectionError',
  upstream: 'UnexpectedError',
  answer_needed: 'ValidationError',
  storage: 'UnexpectedError',
  internal: 'UnexpectedError',
};

const ERROR_SCHEMA: JsonSchema = { type: 'object' };

/** The published envelope: the result as it is, or `{error: {type, message, details}}`. */
export const flowiseWire: Wire = {
  outputSchema(tool: Tool): JsonSchema {
    const schema = outputJsonSchema(tool.output);
    const success = schema.type === 'array' ? { properties: { result: schema }, required: ['result'] } : schema;
    return {
      type: 'object',
      properties: { ...(success.properties as object), error: ERROR_SCHEMA },
      anyOf: [{ required: success.required ?? [] }, { required: ['error'] }],
    };
  },

  bareOutputSchema(tool: Tool): JsonSchema | undefined {
    const schema = outputJsonSchema(tool.output);
    if (schema.type !== 'array') return undefined;
    return { anyOf: [schema, { type: 'object', properties: { error: ERROR_SCHEMA }, required: ['error'] }] };
  },

  success(_tool, { data }) {
    return jsonReply(data, false);
  },

  failure(_tool, failure) {
    const error = { type: TYPES[failure.code], message: failure.message, details: detailsOf(failure) };
    return jsonReply({ error }, true, failure);
  },
};

/** A single finding about an argument is published as it is; only several are listed beside the first. */
function detailsOf({ details, fix }: Failure): Record<string, unknown> {
  const { issues, ...rest } = details;
  return {
    ...rest,
    ...(Array.isArray(issues) && issues.length > 1 && { issues }),
    ...(fix && { fix: fix.instruction }),
  };
}
