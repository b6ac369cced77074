import { notServed, type TransportError } from '@millrace/http';
import { Failure } from '@millrace/kernel';

/** What a request to Flowise is for, in the words that its failures use. */
export interface Operation {
  /** As in "Flowise refused to … ". */
  does: string;
  /** The rights of an API key that allow it, any one of them. */
  permissions: readonly string[];
  /** Reads may be tried again; a change is sent once. */
  kind: 'read' | 'change';
  chatflowId?: string;
  /** What a message of Flowise means for this operation, where that is more than "it failed". */
  meaning?(message: string): Failure | undefined;
}

/** A reply that is not what was asked for. */
export interface Refusal {
  status: number;
  contentType: string;
  /** The value of its Retry-After header. */
  retryAfter: string | undefined;
  /** Bounded; never shown to anybody. */
  text: string;
}

const FLOWISE = { sentence: 'Flowise', name: 'Flowise' };

/** What a refusal means. Flowise's own text decides, and stays here: nothing of it is repeated. */
export function failureOf(refusal: Refusal, operation: Operation, hasKey: boolean, now: Date): Failure {
  const { status } = refusal;
  if (status === 401) return badKey(hasKey);
  if (status === 403) return missingPermission(operation);
  const away = notServed(refusal, FLOWISE, now.getTime());
  if (away) return away;
  if (status >= 300 && status < 400) return wrongUrl('sends requests on to another address');
  const message = messageOf(refusal);
  if (message === undefined) {
    if (status === 413) return tooLarge();
    if (/html/i.test(refusal.contentType)) return wrongUrl('answers with a web page');
    return status >= 500 ? flowiseFailed(status, operation) : wrongUrl('answers with something that is not JSON');
  }
  return failureOfMessage(status, message, operation, hasKey);
}

export function failureOfMessage(status: number, message: string, operation: Operation, hasKey: boolean): Failure {
  const { chatflowId } = operation;
  if (status === 404 && chatflowId !== undefined) return noSuchChatflow(chatflowId);
  if (chatflowId !== undefined && message.includes(`Chatflow ${chatflowId} not found`)) return noSuchChatflow(chatflowId);
  if (/Invalid Chatflow ID$/.test(message)) return malformedId(chatflowId ?? '');
  if (/^(Error: \w+\.\w+ - )?Unauthorized$/.test(message)) return badKey(hasKey);
  if (/do not have permission/.test(message)) return missingPermission(operation);
  if (/Invalid Chatflow Type$/.test(message)) return invalid('type', 'Flowise does not know this type of chatflow', 'enum');
  if (status === 413 || /entity too large/i.test(message)) return tooLarge();
  const meant = operation.meaning?.(message);
  if (meant) return meant;
  if (status === 400 || status === 412 || status === 422) {
    return new Failure('invalid_input', `Flowise refused to ${operation.does}: it does not accept what was sent`, {
      details: { field: null, value: null, constraint: 'flowise', status },
    });
  }
  return flowiseFailed(status, operation);
}

function flowiseFailed(status: number, operation: Operation): Failure {
  return new Failure('upstream', `Flowise failed to ${operation.does} (status ${status})`, {
    details: { status },
    fix: { instruction: "Flowise's own log says why" },
  });
}

/** Undefined when the body is not JSON, as from a proxy or another program; '' when it is, but says nothing. */
function messageOf({ text, contentType }: Refusal): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (body === null || typeof body !== 'object') return typeof body === 'string' ? body : undefined;
    const { message, error }: { message?: unknown; error?: unknown } = body;
    if (typeof message === 'string') return message;
    return typeof error === 'string' ? error : '';
  } catch {
    return /\bjson\b/i.test(contentType) ? '' : undefined;
  }
}

export function noSuchChatflow(id: string): Failure {
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
  return new Failure('not_found', `No chatflow has the id "${shown.toWellFormed()}"`, {
    details: { chatflow_id: shown.toWellFormed() },
    fix: { instruction: 'list_chatflows shows the ids that exist' },
  });
}

function badKey(hasKey: boolean): Failure {
  return new Failure(
    'unauthenticated',
    hasKey ? 'Flowise refused the API key in FLOWISE_API_KEY' : 'Flowise requires an API key, and FLOWISE_API_KEY is not set',
    {
      details: { variable: 'FLOWISE_API_KEY' },
      fix: {
        instruction: 'Make a key in Flowise under API Keys and set FLOWISE_API_KEY to it; a flow can also be bound to one key of its own',
      },
    },
  );
}

function missingPermission(operation: Operation): Failure {
  const [first, ...others] = operation.permissions;
  if (first === undefined) return new Failure('forbidden', `The API key is not allowed to ${operation.does}`, { details: {} });
  const either = others.length > 0 ? ` (or ${others.join(', ')})` : '';
  return new Failure('forbidden', `The API key lacks the permission ${first}${either}, which is needed to ${operation.does}`, {
    details: { permission: first, permissions: [...operation.permissions] },
    fix: { instruction: `Give the key the permission ${first} in Flowise under API Keys` },
  });
}

export function wrongUrl(what: string): Failure {
  return new Failure('unavailable', `FLOWISE_API_URL is wrong: the address ${what} instead of the Flowise API`, {
    details: { variable: 'FLOWISE_API_URL' },
    fix: { instruction: 'Set FLOWISE_API_URL to the address under which Flowise itself is opened, such as http://localhost:3000' },
  });
}

function malformedId(id: string): Failure {
  return invalid('chatflow_id', 'Flowise does not accept this chatflow_id: it is not a valid id', 'format', id.slice(0, 200));
}

function tooLarge(): Failure {
  return invalid('flow_data', 'Flowise refuses flow_data of this size', 'maxLength');
}

function invalid(field: string, message: string, constraint: string, value: unknown = null): Failure {
  return new Failure('invalid_input', message, { details: { field, value, constraint } });
}

/** Flowise answered, but not in the form that its API has. */
export function unreadable(operation: Operation, cause?: unknown): Failure {
  return new Failure('upstream', `Flowise answered in a form that cannot be understood when asked to ${operation.does}`, {
    fix: { instruction: 'Check whether this version of Flowise is supported', command: 'doctor' },
    cause,
  });
}

/** What trouble on the way to Flowise means. */
export function failureOfTransport(error: TransportError, operation: Operation, timeoutMs: number): Failure {
  switch (error.problem) {
    case 'unreachable':
      return unreachable(error);
    case 'broken':
      return brokenReply(operation, error);
    case 'timeout':
      return tookTooLong(operation, timeoutMs, error);
    case 'too_large':
      return unreadable(operation, error);
  }
}

/** Nothing of the error's own text is repeated: it may hold addresses. */
function unreachable(error: TransportError): Failure {
  return new Failure('unavailable', `Flowise cannot be reached at FLOWISE_API_URL: ${error.reason}`, {
    details: { variable: 'FLOWISE_API_URL', reason: error.code },
    fix: { instruction: 'Start Flowise, or set FLOWISE_API_URL to where it runs; this checks both', command: 'doctor' },
    cause: error,
  });
}

/** The connection ended before the answer did. */
export function brokenReply(operation: Operation, cause?: unknown): Failure {
  return incomplete(`The connection to Flowise broke before it had answered the request to ${operation.does}`, operation, cause);
}

/** What arrived calls itself JSON and is not. */
export function cutShort(operation: Operation, cause: unknown): Failure {
  return incomplete(`Flowise's answer to the request to ${operation.does} was cut short`, operation, cause);
}

function incomplete(what: string, operation: Operation, cause: unknown): Failure {
  const unsure = operation.kind === 'change' ? '. It may or may not have been done: look before trying again' : '';
  return new Failure('unavailable', `${what}${unsure}`, {
    details: { transient: true },
    fix: { instruction: operation.kind === 'change' ? 'Look whether the change was made, then try again' : 'Try again' },
    cause,
  });
}

function tookTooLong(operation: Operation, timeoutMs: number, cause: unknown): Failure {
  const unsure = operation.kind === 'change' ? ' It may still be done: look before trying again.' : '';
  return new Failure('timeout', `Flowise did not ${operation.does} within ${timeoutMs / 1000} seconds.${unsure}`, {
    details: { timeout_seconds: timeoutMs / 1000 },
    cause,
  });
}

export function cancelled(reason: unknown): Failure {
  return reason instanceof Failure ? reason : new Failure('cancelled', 'The call was cancelled', { cause: reason });
}
