import { HttpClient, type HttpRequest, headerSecret, TransportError } from '@millrace/http';
import type { Clock, Failure } from '@millrace/kernel';
import { type Address, addressOf } from './address.ts';
import { brokenReply, cancelled, cutShort, failureOf, type Operation, tookTooLong, unreachable, unreadable, wrongUrl } from './refusals.ts';

export interface ConnectionOptions {
  url: string | undefined;
  key: string | undefined;
  clock: Clock;
  /** Until the connection must stand. */
  connectTimeoutMs?: number;
}

export interface Request {
  operation: Operation;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v1; segments are already encoded. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** For the whole answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** An answer whose body is still to come; what goes wrong with it is a Failure too. */
export interface OpenReply {
  contentType: string;
  body: AsyncIterable<Buffer>;
}

const MOST_BYTES = 384 * 1024 * 1024;
const RETRY = { pausesMs: [150, 500], longestWaitMs: 2_000 };

/** The way to one Flowise: every reply is either JSON, an open stream or a Failure. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #http: HttpClient;
  #address: Address | undefined;

  constructor(options: ConnectionOptions) {
    const { clock, connectTimeoutMs } = options;
    this.#options = options;
    this.#http = new HttpClient({
      retry: RETRY,
      now: () => clock.now().getTime(),
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    });
  }

  get hasKey(): boolean {
    return Boolean(this.#options.key?.trim());
  }

  /** The parsed JSON of the answer. Reads are tried again when the connection broke or the server was not ready. */
  async json(request: Request): Promise<unknown> {
    const sent = this.#sent(request, 'application/json');
    const reply = await this.#http.request(sent).catch((error: unknown) => {
      throw whatItMeans(error, request);
    });
    const contentType = reply.header('content-type') ?? '';
    if (!reply.ok) throw this.#refusal(reply, reply.text, request);
    if (!/\bjson\b/i.test(contentType)) throw wrongUrl(/html/i.test(contentType) ? 'answers with a web page' : 'does not answer with JSON');
    try {
      return JSON.parse(reply.text);
    } catch (cause) {
      throw cutShort(request.operation, cause);
    }
  }

  /** The answer as it comes in; only its end or an abort ends it. */
  async open(request: Request): Promise<OpenReply> {
    const sent = this.#sent(request, 'text/event-stream, application/json');
    try {
      const reply = await this.#http.open(sent);
      if (!reply.ok) throw this.#refusal(reply, await reply.text(), request);
      return { contentType: reply.header('content-type') ?? '', body: explained(reply.body, request) };
    } catch (error) {
      throw whatItMeans(error, request);
    }
  }

  #sent({ method, path, query, body, timeoutMs, signal }: Request, accept: string): HttpRequest {
    this.#address ??= addressOf(this.#options.url);
    const key = headerSecret({
      variable: 'FLOWISE_API_KEY',
      value: this.#options.key,
      from: 'Flowise, under API Keys',
      code: 'unauthenticated',
    });
    return {
      method,
      url: `${this.#address.origin}${this.#address.basePath}${path}${queryOf(query)}`,
      headers: {
        accept,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
      signal,
      maxBytes: MOST_BYTES,
    };
  }

  #refusal(
    { status, header }: { status: number; header(name: string): string | undefined },
    text: string,
    { operation }: Request,
  ): Failure {
    const refusal = { status, contentType: header('content-type') ?? '', retryAfter: header('retry-after'), text };
    return failureOf(refusal, operation, this.hasKey, this.#options.clock.now());
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** Trouble on the way in Flowise's terms; everything else as it is. */
function whatItMeans(error: unknown, { operation, signal, timeoutMs }: Request): unknown {
  if (signal.aborted) return cancelled(signal.reason);
  if (!(error instanceof TransportError)) return error;
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

async function* explained(body: AsyncIterable<Buffer>, request: Request): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw whatItMeans(error, request);
  }
}

function queryOf(query: Request['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : '';
}
