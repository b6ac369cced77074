import type { ServerResponse } from 'node:http';
import type { Agent, StoredMessage, TurnEvent, TurnResult } from '@millrace/agent';
import { Failure, type FailureCode, isRecord } from '@millrace/kernel';
import type { Route, RouteInput } from '@millrace/transports/http';
import { conversationalReply } from './agent-reply.ts';

const KEEP_ALIVE_MS = 15_000;
const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;

/** POST /chat, GET /conversations and GET /conversations/{id}. The agent is opened with the first request. */
export function agentRoutes(open: () => Promise<Agent>): readonly Route[] {
  return [
    { method: 'POST', path: '/chat', serve: async (_request, response, input) => chat(await open(), response, input) },
    {
      method: 'GET',
      path: '/conversations',
      serve: (_request, response, { url, user }) =>
        answered(response, async () => {
          const limit = Number(url.searchParams.get('limit') ?? DEFAULT_PAGE);
          if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
            throw invalid(`limit must be a whole number from 1 to ${MAX_PAGE}`);
          const { conversations, next } = await (await open()).conversations(user, {
            limit,
            after: url.searchParams.get('after') ?? undefined,
          });
          return {
            conversations: conversations.map(({ id, title, createdAt, updatedAt }) => ({
              id,
              title,
              created_at: createdAt,
              updated_at: updatedAt,
            })),
            ...(next && { next }),
          };
        }),
    },
    {
      method: 'GET',
      path: '/conversations/',
      serve: (_request, response, { url, user }) =>
        answered(response, async () => {
          const id = url.pathname.slice('/conversations/'.length);
          const { conversation, messages } = await (await open()).conversation(user, id);
          const { title, createdAt, updatedAt } = conversation;
          return { id: conversation.id, title, created_at: createdAt, updated_at: updatedAt, messages: messages.map(shownMessage) };
        }),
    },
  ];
}

function shownMessage({ id, role, status, text, createdAt, calls }: StoredMessage) {
  const toolCalls = calls.map(({ tool, parameters, status: outcome, output }) => ({
    tool,
    parameters,
    status: outcome,
    result: (output as { value?: unknown } | undefined)?.value ?? null,
  }));
  return { id, role, status, text, created_at: createdAt, ...(role === 'assistant' && { tool_calls: toolCalls }) };
}

/** The turn as server-sent events; a turn that cannot begin is an ordinary error. Disconnecting stops the turn. */
async function chat(agent: Agent, response: ServerResponse, { body, user, signal }: RouteInput): Promise<void> {
  const keepAlive = setInterval(() => response.headersSent && response.write(': still here\n\n'), KEEP_ALIVE_MS);
  try {
    const { message, conversation } = requestOf(body);
    const result = await agent.turn({ user, message, conversation, signal }, (event) => send(response, event.type, wordsOf(event)));
    send(response, 'done', summary(result));
    response.end();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!response.headersSent) return refuse(response, error);
    send(response, 'error', { message: error.message, ...(error.fix && { fix: error.fix.instruction }) });
    response.end();
  } finally {
    clearInterval(keepAlive);
  }
}

function requestOf(body: unknown): { message: string | undefined; conversation: string | undefined } {
  if (!isRecord(body)) throw invalid('The body must be an object {message, conversation}');
  const { message, conversation, retry, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalid(`Unknown field "${unknown.slice(0, 100)}": the body is {message, conversation} or {retry: true, conversation}`);
  if (conversation !== undefined && typeof conversation !== 'string') throw invalid('conversation must be the id of a conversation');
  if (retry === true && message === undefined) return { message: undefined, conversation };
  if (typeof message !== 'string') throw invalid('message must be text');
  return { message, conversation };
}

function send(response: ServerResponse, event: string, data: unknown): void {
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  }
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function wordsOf(event: TurnEvent): unknown {
  const { type: _type, ...data } = event;
  return data;
}

export function summary(result: TurnResult) {
  const { conversation, message, status, toolCalls } = result;
  return { conversation, message, status, reply: conversationalReply(result), tool_calls: toolCalls };
}

const STATUSES: Partial<Record<FailureCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  rate_limited: 429,
};

async function answered(response: ServerResponse, work: () => Promise<unknown>): Promise<void> {
  try {
    const body = await work();
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    refuse(response, error);
  }
}

function refuse(response: ServerResponse, failure: Failure): void {
  const status = STATUSES[failure.code] ?? 500;
  const code = status === 400 ? 'INVALID_REQUEST_FORMAT' : status === 500 ? 'INTERNAL_SERVER_ERROR' : 'TOOL_EXECUTION_ERROR';
  const details = { reason: failure.code, ...(failure.fix && { fix: failure.fix.instruction }) };
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ error: { message: failure.message, code, details } }));
}

function invalid(message: string): Failure {
  return new Failure('invalid_input', message);
}
