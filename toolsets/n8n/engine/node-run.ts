import type { Item, NodeRun } from './engine.ts';
import type { N8nError, N8nTaskData } from './n8n-packages.ts';

/** Items of one output that are passed on: more could fill the memory of the server. */
const MOST_ITEMS = 2000;

/** One run of a node in the terms of the toolset: plain data, without n8n's bookkeeping. */
export function nodeRun(node: string, order: number, task: N8nTaskData): NodeRun {
  const outputs = task.data?.['main'] ?? Object.values(task.data ?? {})[0] ?? [];
  const failed = task.error !== undefined || task.executionStatus === 'error';
  return {
    node,
    order,
    status: failed ? 'error' : 'success',
    executionTime: task.executionTime,
    outputs: outputs.map((items) => (items ?? []).slice(0, MOST_ITEMS).map(plainItem)),
    ...(outputs.some((items) => (items?.length ?? 0) > MOST_ITEMS) && { itemCounts: outputs.map((items) => items?.length ?? 0) }),
    ...(task.error && { error: plainError(task.error) }),
  };
}

/** Of binary data, only the name, kind and size are passed on. */
function plainItem(item: Record<string, unknown>): Item {
  const { json, binary } = item as { json?: Record<string, unknown>; binary?: Record<string, Record<string, unknown>> };
  const plain: Item = { json: plainJson(json ?? {}) };
  if (binary && Object.keys(binary).length > 0) {
    plain['binary'] = Object.fromEntries(
      Object.entries(binary).map(([name, { fileName, mimeType, fileSize, fileExtension }]) => [
        name,
        { fileName, mimeType, fileSize, fileExtension },
      ]),
    );
  }
  return plain;
}

/** As JSON has it: dates become text, functions and undefined go. */
function plainJson(json: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
  } catch {
    return { error: 'This item cannot be written as JSON' };
  }
}

const LONGEST_MESSAGE = 2000;

export function plainError(error: N8nError): { message: string; description?: string } {
  const message = String(error.message ?? error).slice(0, LONGEST_MESSAGE);
  const description =
    typeof error.description === 'string' && error.description !== message ? error.description.slice(0, LONGEST_MESSAGE) : undefined;
  return { message, ...(description && { description }) };
}

/** What scripts look at when a request failed: the message, the status and what was answered. */
export function helperError(error: unknown): { message: string; [detail: string]: unknown } {
  const { message, description, httpCode, statusCode, code, response } = (error ?? {}) as Record<string, unknown> & {
    response?: { status?: unknown; data?: unknown; body?: unknown };
  };
  const status = response?.status ?? statusCode ?? (httpCode === undefined ? undefined : Number(httpCode));
  return plainJson({
    message: String(message ?? error).slice(0, LONGEST_MESSAGE),
    description,
    code,
    httpCode,
    statusCode: status,
    ...(response && { response: { status: response.status, data: response.data, body: response.body } }),
  }) as { message: string };
}
