import { type Failure, type FailureCode, type JsonSchema, jsonReply, outputJsonSchema, type Tool, type Wire } from '@millrace/kernel';

type ErrorCode = 'TOOL_NOT_FOUND' | 'INVALID_REQUEST_FORMAT' | 'INVALID_TOOL_PARAMETERS' | 'TOOL_EXECUTION_ERROR' | 'INTERNAL_SERVER_ERROR';

const CODES: Partial<Record<FailureCode, ErrorCode>> = {
  unknown_tool: 'TOOL_NOT_FOUND',
  invalid_input: 'INVALID_TOOL_PARAMETERS',
  storage: 'INTERNAL_SERVER_ERROR',
  internal: 'INTERNAL_SERVER_ERROR',
};

/** The published envelope: the result as it is, or `{error: {message, code, details}}`. */
export const n8nWire: Wire = {
  outputSchema(tool: Tool): JsonSchema {
    const { properties, required } = outputJsonSchema(tool.output) as { properties?: Record<string, JsonSchema>; required?: string[] };
    return {
      type: 'object',
      properties: { ...properties, error: { type: 'object' } },
      anyOf: [{ required: required ?? [] }, { required: ['error'] }],
    };
  },

  success(_tool, result) {
    return jsonReply(result, false);
  },

  failure(_tool, failure) {
    const details = { ...failure.details, reason: failure.details['reason'] ?? failure.code, ...(failure.fix && { fix: failure.fix }) };
    return jsonReply({ error: { message: failure.message, code: codeOf(failure), details } }, true, failure);
  },
};

function codeOf(failure: Failure): ErrorCode {
  const isWholeRequest = failure.code === 'invalid_input' && failure.details['field'] === null;
  return isWholeRequest ? 'INVALID_REQUEST_FORMAT' : (CODES[failure.code] ?? 'TOOL_EXECUTION_ERROR');
}
