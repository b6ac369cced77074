import { type Failure, jsonReply, outputJsonSchema, type Tool, type Wire } from '@millrace/kernel';

/** The verb of each tool, for its sentences: "Failed to create todo", "I'm having trouble updating that todo." */
const VERBS: Record<string, { fail: string; doing: string; todo: string }> = {
  create_todo: { fail: 'Failed to create todo', doing: 'adding that todo', todo: 'add that todo' },
  create_todos: { fail: 'Failed to create todos', doing: 'adding those todos', todo: 'add those todos' },
  read_todos: { fail: 'Failed to read todos', doing: 'reading your todos', todo: 'show your todos' },
  update_todo: { fail: 'Failed to update todo', doing: 'updating that todo', todo: 'update that todo' },
  delete_todo: { fail: 'Failed to delete todo', doing: 'deleting that todo', todo: 'delete that todo' },
};

/** The keys of the published examples, the same payload as `data`, and words for the person. */
export const todoWire: Wire = {
  outputSchema(tool) {
    const { properties, ...payload } = outputJsonSchema(tool.output) as { properties: Record<string, unknown> };
    const { user_message: _userMessage, ...keys } = properties;
    return {
      ...payload,
      properties: {
        success: { type: 'boolean' },
        error: { type: ['string', 'null'] },
        ...keys,
        data: { type: ['object', 'null'] },
        user_message: { type: 'string' },
      },
      required: ['success', 'error', 'data', 'user_message'],
    };
  },

  success(_tool, result) {
    const { user_message, ...payload } = result as { user_message: string };
    return jsonReply({ success: true, error: null, ...payload, data: payload, user_message }, false);
  },

  failure(tool, failure) {
    const user_message = sayFailure(tool, failure);
    return jsonReply({ success: false, error: publishedError(tool, failure), data: null, user_message }, true, failure);
  },
};

const OUR_FAULT = new Set<Failure['code']>(['storage', 'internal', 'conflict']);

function publishedError(tool: Tool, failure: Failure): string {
  return OUR_FAULT.has(failure.code) ? (VERBS[tool.name]?.fail ?? 'Failed') : failure.message;
}

function sayFailure(tool: Tool, failure: Failure): string {
  const verb = VERBS[tool.name];
  switch (failure.code) {
    case 'invalid_input':
      return sayInvalid(failure, verb?.todo ?? 'do that');
    case 'not_found':
      return "I couldn't find that todo. It may not be in your list.";
    case 'forbidden':
      return failure.message === 'Access denied'
        ? "That todo belongs to someone else, so I can't touch it."
        : `I can't ${verb?.todo ?? 'do that'} here: this server only lets me read.`;
    case 'timeout':
      return 'That took too long, so I stopped. Please try again.';
    case 'cancelled':
      return 'All right, I stopped.';
    case 'rate_limited':
      return 'That was a little too fast. Please try again in a moment.';
    case 'unauthenticated':
      return 'Please sign in first.';
    case 'internal':
      return [trouble(verb), ...(failure.fix ? [`${failure.fix.instruction}.`] : [])].join(' ');
    default:
      return trouble(verb);
  }
}

function trouble(verb: { doing: string } | undefined): string {
  return `I'm having trouble ${verb?.doing ?? 'with that'}. Please try again.`;
}

function sayInvalid(failure: Failure, toDo: string): string {
  if (failure.message === 'Title cannot be empty') return 'A todo needs a title. What should it say?';
  if (failure.message === 'Nothing to update') return 'What should I change about that todo?';
  const { field, constraint } = failure.details;
  if (field === 'id') return "I couldn't tell which todo you mean.";
  if (field === 'title' && constraint === 'required') return 'A todo needs a title. What should it say?';
  if (constraint === 'unknown' || constraint === 'type' || constraint === 'required' || constraint === 'maxDepth') {
    return `I couldn't ${toDo}, because the request was incomplete or had something in it that I don't know.`;
  }
  return `I couldn't ${toDo}. ${failure.message}.`;
}
