import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, Failure } from '@millrace/kernel';
import type { Dispatcher, Pool } from 'undici';
import { type Address, addressOf, bearerOf } from './address.ts';
import { failureOf, type Operation, unreadable, wrongUrl } from './refusals.ts';
import { cancelled, cutShort, failureOfTransport, tookTooLong } from './transport-failures.ts';

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

/** An answer whose body is still to come. */
export interface OpenReply {
  contentType: string;
  body: AsyncIterable<Buffer>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const MOST_CONNECTIONS = 128;
/** Flowise closes idle connections after 5 seconds; ours are given up before that, so that no request meets a closing one. */
const IDLE_MS = 3_000;
const MOST_BYTES = 384 * 1024 * 1024;
const MOST_REFUSAL_BYTES = 64 * 1024;
const RETRY_PAUSES_MS = [150, 500];
const LONGEST_RETRY_AFTER_MS = 2_000;

/** The pooled way to one Flowise: every reply is either JSON, an open stream or a Failure. */
export class Connection {
  readonly #options: ConnectionOptions;
  #address: Address | undefined;
  #pool: Pool | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get hasKey(): boolean {
    return Boolean(this.#options.key?.trim());
  }

  /** The parsed JSON of the answer. Reads are tried again when the connection broke or the server was not ready. */
  async json(request: Request): Promise<unknown> {
    const within = this.#within(request);
    const tries = request.operation.kind === 'read' ? RETRY_PAUSES_MS : [];
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#jsonOnce(request, within.signal);
      } catch (error) {
        const failure = within.explain(error);
        const pause = pauseBefore(failure, tries[attempt]);
        if (pause === undefined) throw failure;
        await sleep(pause, undefined, { signal: within.signal }).catch((aborted: unknown) => {
          throw within.explain(aborted);
        });
      }
    }
  }

  async #jsonOnce(request: Request, signal: AbortSignal): Promise<unknown> {
    const reply = await this.#send(request, signal, 'application/json');
    if (!/\bjson\b/i.test(reply.contentType)) {
      drain(reply.body);
      throw wrongUrl(/html/i.test(reply.contentType) ? 'answers with a web page' : 'does not answer with JSON');
    }
    const text = await textOf(reply.body, MOST_BYTES, request.operation);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw cutShort(request.operation, cause);
    }
  }

  /** The answer as it comes in; only its end or an abort ends it. */
  async open(request: Request): Promise<OpenReply & { explain(error: unknown): Failure }> {
    const within = this.#within(request);
    try {
      const reply = await this.#send(request, within.signal, 'text/event-stream, application/json');
      return { ...reply, explain: within.explain };
    } catch (error) {
      throw within.explain(error);
    }
  }

  async #send(request: Request, signal: AbortSignal, accept: string): Promise<OpenReply> {
    const { pool, basePath } = await this.#opened();
    const { clock } = this.#options;
    const key = bearerOf(this.#options.key);
    const response = await pool.request({
      method: request.method,
      path: `${basePath}${request.path}${queryOf(request.query)}`,
      headers: {
        accept,
        'user-agent': 'millrace',
        ...(key && { authorization: `Bearer ${key}` }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      signal,
    });
    const contentType = headerOf(response, 'content-type') ?? '';
    if (response.statusCode >= 200 && response.statusCode < 300) return { contentType, body: response.body };
    const text = await textOf(response.body, MOST_REFUSAL_BYTES, request.operation).catch(() => '');
    const refusal = { status: response.statusCode, contentType, retryAfter: headerOf(response, 'retry-after'), text };
    throw failureOf(refusal, request.operation, this.hasKey, clock.now());
  }

  /** The client is loaded with the first request: most starts never make one. */
  async #opened(): Promise<{ pool: Pool; basePath: string }> {
    this.#address ??= addressOf(this.#options.url);
    const undici = await import('undici');
    this.#pool ??= new undici.Pool(this.#address.origin, {
      connections: MOST_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The request's own clock ends it: these two would cut long runs short.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS },
    });
    return { pool: this.#pool, basePath: this.#address.basePath };
  }

  #within(request: Request): { signal: AbortSignal; explain(error: unknown): Failure } {
    const clock = AbortSignal.timeout(request.timeoutMs);
    return {
      signal: AbortSignal.any([request.signal, clock]),
      explain: (error) => {
        if (error instanceof Failure) return error;
        if (request.signal.aborted) return cancelled(request.signal.reason);
        if (clock.aborted) return tookTooLong(request.operation, request.timeoutMs);
        return failureOfTransport(error, request.operation);
      },
    };
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }
}

/** How long to wait before the next try, or undefined when there is no use in one. */
function pauseBefore(failure: Failure, pause: number | undefined): number | undefined {
  if (pause === undefined) return undefined;
  if (failure.code === 'rate_limited') {
    const wait = Number(failure.details['retryAfterMs']);
    return wait <= LONGEST_RETRY_AFTER_MS ? wait : undefined;
  }
  return failure.details['transient'] === true || failure.details['status'] === 503 ? pause : undefined;
}

function queryOf(query: Request['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : '';
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function drain(body: AsyncIterable<Buffer> & { dump?(): Promise<void> }): void {
  void body.dump?.().catch(() => {});
}

async function textOf(body: AsyncIterable<Buffer>, most: number, operation: Operation): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw unreadable(operation);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
