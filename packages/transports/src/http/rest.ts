import { type Catalog, type Credentials, type Failure, type FailureCode, isRecord, type Reply } from '@millrace/kernel';

export interface RestAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

type RestCode = 'TOOL_NOT_FOUND' | 'INVALID_REQUEST_FORMAT' | 'INVALID_TOOL_PARAMETERS' | 'TOOL_EXECUTION_ERROR' | 'INTERNAL_SERVER_ERROR';

/** POST /mcp/tools */
export function restTools(catalog: Catalog): RestAnswer {
  const tools = catalog.entries().map(({ tool, toolset, inputSchema, bareOutputSchema }) => ({
    name: tool.name,
    description: tool.description,
    inputSchema,
    outputSchema: bareOutputSchema,
    toolset: toolset.name,
  }));
  return { status: 200, body: { tools } };
}

/** POST /mcp/execute {name, parameters} */
export async function restExecute(catalog: Catalog, body: unknown, credentials: Credentials, signal: AbortSignal): Promise<RestAnswer> {
  if (!isRecord(body)) return invalidFormat('The body must be an object {name, parameters}');
  const { name, parameters = {}, ...rest } = body;
  if (typeof name !== 'string' || name === '') return invalidFormat('name must be the name of a tool');
  if (!isRecord(parameters)) return invalidFormat('parameters must be an object');
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return invalidFormat(`Unknown field "${unknown.slice(0, 100)}": the body is {name, parameters}`);
  const reply = await catalog.call(name, parameters, { credentials, signal });
  if (!reply.failure || reply.question) return { status: 200, body: reply.structured };
  return refusal(reply, reply.failure);
}

export function invalidFormat(message: string): RestAnswer {
  return { status: 400, body: errorBody('INVALID_REQUEST_FORMAT', message, {}) };
}

export function errorBody(code: RestCode, message: string, details: unknown) {
  return { error: { message, code, details } };
}

function refusal(reply: Reply, failure: Failure): RestAnswer {
  const [status, code] = STATUSES[failure.code] ?? [500, 'TOOL_EXECUTION_ERROR'];
  const envelope = reply.structured;
  const details = failure.code === 'unknown_tool' ? failure.details : { reason: failure.code, envelope };
  const waitMs = failure.code === 'rate_limited' ? failure.details.retryAfterMs : undefined;
  return {
    status,
    body: errorBody(code, failure.message, details),
    ...(waitMs !== undefined && { headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } }),
  };
}

const STATUSES: { [Code in FailureCode]?: readonly [number, RestCode] } = {
  unknown_tool: [404, 'TOOL_NOT_FOUND'],
  invalid_input: [400, 'INVALID_TOOL_PARAMETERS'],
  unauthenticated: [401, 'TOOL_EXECUTION_ERROR'],
  forbidden: [403, 'TOOL_EXECUTION_ERROR'],
  locked: [403, 'TOOL_EXECUTION_ERROR'],
  rate_limited: [429, 'TOOL_EXECUTION_ERROR'],
  not_found: [404, 'TOOL_EXECUTION_ERROR'],
  internal: [500, 'INTERNAL_SERVER_ERROR'],
};
