import { type Failure, jsonReply, outputJsonSchema, type Wire } from '@millrace/kernel';
import type { TodoTool } from './services.ts';

// biome-ignore lint/suspicious/noExplicitAny: tools of every input, output and result
type AnyTodoTool = TodoTool<any, any, any>;

/** The keys of the published examples, the same payload as `data`, and words for the person. */
export const todoWire: Wire<AnyTodoTool> = {
  outputSchema(tool) {
    const payload = outputJsonSchema(tool.output);
    return {
      ...payload,
      properties: {
        success: { type: 'boolean' },
        error: { type: ['string', 'null'] },
        ...(payload.properties as object),
        data: { type: ['object', 'null'] },
        user_message: { type: 'string' },
      },
      required: ['success', 'error', 'data', 'user_message'],
    };
  },

  success(_tool, { data, words }) {
    return jsonReply({ success: true, error: null, ...(data as object), data, user_message: words }, false);
  },

  failure({ phrases }, failure) {
    const error = OUR_FAULT.has(failure.code) ? phrases.failed : failure.message;
    return jsonReply({ success: false, error, data: null, user_message: sayFailure(phrases, failure) }, true, failure);
  },
};

const OUR_FAULT = new Set<Failure['code']>(['storage', 'internal', 'conflict']);

function sayFailure({ doing, toDo }: AnyTodoTool['phrases'], failure: Failure): string {
  switch (failure.code) {
    case 'invalid_input':
      return sayInvalid(failure, toDo);
    case 'not_found':
      return "I couldn't find that todo. It may not be in your list.";
    case 'forbidden':
      return failure.details.reason === 'read_only'
        ? `I can't ${toDo} here: this server only lets me read.`
        : "That todo belongs to someone else, so I can't touch it.";
    case 'timeout':
      return 'That took too long, so I stopped. Please try again.';
    case 'cancelled':
      return 'All right, I stopped.';
    case 'rate_limited':
      return 'That was a little too fast. Please try again in a moment.';
    case 'unauthenticated':
      return 'Please sign in first.';
    case 'internal':
      return [trouble(doing), ...(failure.fix ? [`${failure.fix.instruction}.`] : [])].join(' ');
    default:
      return trouble(doing);
  }
}

function trouble(doing: string): string {
  return `I'm having trouble ${doing}. Please try again.`;
}

/** What of the request cannot be put into words that a person would use. */
const NOT_SPOKEN = new Set(['unknown', 'type', 'required', 'maxDepth']);

function sayInvalid({ message, details }: Extract<Failure, { code: 'invalid_input' }>, toDo: string): string {
  const { field, constraint = '' } = details;
  if (constraint === 'nothingToUpdate') return 'What should I change about that todo?';
  if (field === 'id') return "I couldn't tell which todo you mean.";
  if (field === 'title' && (constraint === 'required' || constraint === 'minLength')) return 'A todo needs a title. What should it say?';
  if (NOT_SPOKEN.has(constraint)) {
    return `I couldn't ${toDo}, because the request was incomplete or had something in it that I don't know.`;
  }
  return `I couldn't ${toDo}. ${message}.`;
}
