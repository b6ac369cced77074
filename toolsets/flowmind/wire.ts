import {
  type ArgumentIssue,
  type Failure,
  type Fix,
  inputJsonSchema,
  jsonReply,
  outputJsonSchema,
  type Tool,
  type Wire,
} from '@millrace/kernel';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, errorCode } from './codes.ts';
import type { Enhanced } from './enhancement.ts';
import { exampleFor } from './help/example.ts';

const anything = z.record(z.string(), z.unknown());

/** One object that admits both patterns: clients check errors against it too. Further keys are not spelled out. */
const envelope = (result: z.ZodType) =>
  z.looseObject({
    success: z.boolean(),
    result: result.optional(),
    teaching: anything.optional(),
    next_actions: z.array(z.unknown()).optional(),
    error: anything.optional(),
    guidance: anything.optional(),
  });

/** FlowMind's published patterns: success with teaching, and errors that say how to mend them. */
export const flowmindWire: Wire = {
  outputSchema: (tool) => outputJsonSchema(envelope(tool.output)),

  success(_tool, value, { durationMs }) {
    const { result, enhancement, timings } = value as Enhanced;
    return jsonReply(
      {
        success: true,
        result,
        teaching: enhancement.teaching,
        next_actions: enhancement.next_actions,
        _performance: {
          total_time_ms: rounded(durationMs),
          alpha_llm_time_ms: rounded(timings.alpha_llm),
          search_time_ms: rounded(timings.search),
          assembly_time_ms: rounded(timings.assembly),
        },
        _insights: enhancement._insights,
        _unlocks: enhancement._unlocks,
      },
      false,
    );
  },

  failure(tool, failure) {
    const code = errorCode(failure);
    const partial = failure.partial as Record<string, unknown> | undefined;
    return jsonReply(
      {
        success: false,
        error: { code, message: messageOf(failure), fix: fixOf(tool, failure, code) },
        guidance: guidanceOf(failure),
        ...(partial !== undefined && { partial_results: partial }),
      },
      true,
      failure,
    );
  },
};

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function messageOf(failure: Failure): string {
  return failure.code === 'internal' ? `Internal error ${String(failure.details['id'] ?? '')}`.trim() : failure.message;
}

/** Every error says what to do, with an example and the reason, also where the failure itself brought none. */
function fixOf(tool: Tool, failure: Failure, code: ErrorCode): Required<Omit<Fix, 'command'>> {
  const { fix: given } = failure;
  return {
    instruction: given?.instruction ?? instructionOf(tool, failure),
    example: given?.example ?? exampleOf(tool, failure),
    why: given?.why ?? ERROR_CODES[code],
  };
}

function instructionOf(tool: Tool, failure: Failure): string {
  const field = failure.details['field'];
  if (failure.code === 'invalid_input' && typeof field === 'string' && field) return `Correct ${field} and call ${tool.name} again`;
  if (failure.code === 'rate_limited') return `Wait ${waitOf(failure)} and call again`;
  if (failure.code === 'internal' || failure.code === 'storage') return 'Try again; if it stays, look into the log of the server';
  if (failure.code === 'timeout') return 'Call again, with less to do in one call';
  return `Look at the description of ${tool.name} and call it again`;
}

function exampleOf(tool: Tool, failure: Failure): unknown {
  if (failure.code === 'rate_limited') return { retry_after_ms: failure.details['retryAfterMs'] ?? null };
  const parameters = failure.code === 'invalid_input' ? exampleFor({ tool, inputSchema: inputJsonSchema(tool.input) }) : undefined;
  if (parameters) return { tool: tool.name, parameters };
  return {
    tool: 'get_help',
    parameters: { help_type: 'error', context: { error_message: failure.message.slice(0, 200), attempted_action: tool.name } },
  };
}

function waitOf(failure: Failure): string {
  const ms = failure.details['retryAfterMs'];
  return typeof ms === 'number' ? `${Math.max(1, Math.ceil(ms / 1000))} s` : 'a while';
}

function guidanceOf(failure: Failure): Record<string, unknown> {
  const { guidance, issues, nearest, retryAfterMs, level, needed } = failure.details;
  const list = Array.isArray(issues) ? (issues as ArgumentIssue[]) : [];
  return {
    ...(list.length > 0 && {
      errors: list.map(({ field, message, constraint }) => ({ field, issue: message, suggestion: suggestionOf(constraint) })),
    }),
    ...(Array.isArray(nearest) && nearest.length > 0 && { nearest }),
    ...(typeof retryAfterMs === 'number' && { retry_after_ms: retryAfterMs }),
    ...(typeof level === 'string' && { level, needed }),
    ...(guidance !== null && typeof guidance === 'object' ? guidance : {}),
  };
}

const SUGGESTIONS: Record<string, string> = {
  required: 'Add it',
  enum: 'Use one of the listed values',
  unknown: 'Leave it out, or use the argument that is meant',
  pattern: 'Write it as the pattern says',
  minLength: 'Say more',
  maxLength: 'Say it shorter',
  minimum: 'Use a larger number',
  maximum: 'Use a smaller number',
  minItems: 'Add more entries',
  maxItems: 'Leave entries out',
  type: 'Use the type that the schema names',
};

function suggestionOf(constraint: string): string {
  return SUGGESTIONS[constraint] ?? 'Correct it as the schema says';
}
