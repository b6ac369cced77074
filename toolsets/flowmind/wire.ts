import {
  type ArgumentIssue,
  type Failure,
  type Fix,
  inputJsonSchema,
  isRecord,
  jsonReply,
  outputJsonSchema,
  type Tool,
  type Wire,
} from '@millrace/kernel';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, errorCode } from './codes.ts';
import { exampleFor } from './help/example.ts';
import type { ReplyNotes } from './teaching/teacher.ts';

const anything = z.record(z.string(), z.unknown());

/** One object schema for both patterns, since clients check errors against it too. Other keys are not listed. */
const envelope = (result: z.ZodType) =>
  z.looseObject({
    success: z.boolean(),
    result: result.optional(),
    teaching: anything.optional(),
    next_actions: z.array(z.unknown()).optional(),
    error: anything.optional(),
    guidance: anything.optional(),
  });

/** FlowMind's published patterns: success with teaching, and errors that say how to fix them. */
export const flowmindWire: Wire<Tool, ReplyNotes> = {
  outputSchema: (tool) => outputJsonSchema(envelope(tool.output)),

  success(_tool, { data: result }, { durationMs, notes: { enhancement, timings } }) {
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
  return failure.code === 'internal' ? `Internal error ${failure.details.id ?? ''}`.trim() : failure.message;
}

/** Every error says what to do, with an example and the reason, even when the failure itself has none. */
function fixOf(tool: Tool, failure: Failure, code: ErrorCode): Required<Omit<Fix, 'command'>> {
  const { fix: given } = failure;
  return {
    instruction: given?.instruction ?? instructionOf(tool, failure),
    example: given?.example ?? exampleOf(tool, failure),
    why: given?.why ?? ERROR_CODES[code],
  };
}

function instructionOf(tool: Tool, failure: Failure): string {
  if (failure.code === 'invalid_input' && failure.details.field) return `Correct ${failure.details.field} and call ${tool.name} again`;
  if (failure.code === 'rate_limited') return `Wait ${waitOf(failure.details.retryAfterMs)} and call again`;
  if (failure.code === 'internal' || failure.code === 'storage') return 'Try again; if it stays, look into the log of the server';
  if (failure.code === 'timeout') return 'Call again, with less to do in one call';
  return `Look at the description of ${tool.name} and call it again`;
}

function exampleOf(tool: Tool, failure: Failure): unknown {
  if (failure.code === 'rate_limited') return { retry_after_ms: failure.details.retryAfterMs ?? null };
  const parameters = failure.code === 'invalid_input' ? exampleFor({ tool, inputSchema: inputJsonSchema(tool.input) }) : undefined;
  if (parameters) return { tool: tool.name, parameters };
  return {
    tool: 'get_help',
    parameters: { help_type: 'error', context: { error_message: failure.message.slice(0, 200), attempted_action: tool.name } },
  };
}

function waitOf(ms: number | undefined): string {
  return ms !== undefined ? `${Math.max(1, Math.ceil(ms / 1000))} s` : 'a while';
}

function guidanceOf(failure: Failure): Record<string, unknown> {
  const { guidance, nearest } = failure.details;
  return {
    ...known(failure),
    ...(Array.isArray(nearest) && nearest.length > 0 && { nearest }),
    ...(isRecord(guidance) && guidance),
  };
}

/** What the kernel itself knows about a failure of this kind. */
function known(failure: Failure): Record<string, unknown> {
  switch (failure.code) {
    case 'invalid_input':
      return argumentGuidance(failure.details.issues ?? []);
    case 'rate_limited':
      return failure.details.retryAfterMs === undefined ? {} : { retry_after_ms: failure.details.retryAfterMs };
    case 'locked':
      return failure.details.level === undefined ? {} : { level: failure.details.level, needed: failure.details.needed };
    default:
      return {};
  }
}

function argumentGuidance(issues: readonly ArgumentIssue[]): Record<string, unknown> {
  if (issues.length === 0) return {};
  const suggestion = (constraint: string) => SUGGESTIONS[constraint] ?? 'Correct it as the schema says';
  return { errors: issues.map(({ field, message, constraint }) => ({ field, issue: message, suggestion: suggestion(constraint) })) };
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
