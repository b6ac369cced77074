import { type Failure, type FailureCode, type JsonSchema, jsonReply, outputJsonSchema, type Wire } from '@millrace/kernel';
import { z } from 'zod';
import type { N8nTool } from './services.ts';

type ErrorCode = 'TOOL_NOT_FOUND' | 'INVALID_REQUEST_FORMAT' | 'INVALID_TOOL_PARAMETERS' | 'TOOL_EXECUTION_ERROR' | 'INTERNAL_SERVER_ERROR';

const CODES: Partial<Record<FailureCode, ErrorCode>> = {
  unknown_tool: 'TOOL_NOT_FOUND',
  invalid_input: 'INVALID_TOOL_PARAMETERS',
  storage: 'INTERNAL_SERVER_ERROR',
  internal: 'INTERNAL_SERVER_ERROR',
};

// biome-ignore lint/suspicious/noExplicitAny: tools of every input and output
type AnyN8nTool = N8nTool<any, any>;

/** The published envelope: the result as it is, or `{error: {message, code, details}}`. */
export const n8nWire: Wire<AnyN8nTool> = {
  outputSchema(tool): JsonSchema {
    const output = tool.acknowledges ? z.object({ success: z.boolean(), ...tool.output.shape }) : tool.output;
    const { properties, required } = outputJsonSchema(output);
    return {
      type: 'object',
      properties: { ...(properties as object), error: { type: 'object' } },
      anyOf: [{ required: required ?? [] }, { required: ['error'] }],
    };
  },

  success({ acknowledges }, { data }) {
    return jsonReply(acknowledges ? { success: true, ...(data as object) } : data, false);
  },

  failure(_tool, failure) {
    const details = { ...failure.details, reason: failure.details.reason ?? failure.code, ...(failure.fix && { fix: failure.fix }) };
    return jsonReply({ error: { message: failure.message, code: codeOf(failure), details } }, true, failure);
  },
};

function codeOf(failure: Failure): ErrorCode {
  const isWholeRequest = failure.code === 'invalid_input' && failure.details.field === null;
  return isWholeRequest ? 'INVALID_REQUEST_FORMAT' : (CODES[failure.code] ?? 'TOOL_EXECUTION_ERROR');
}
