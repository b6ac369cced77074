import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { TransportError, transportErrorOf } from './transport-error.ts';

export interface Retry {
  /** Before the second attempt, the third and so on. */
  pausesMs: readonly number[];
  /** A server that asks for more patience than this is not asked again. */
  longestWaitMs: number;
  /** Every request may be repeated, whatever its method: it changes nothing on the server. */
  repeatable?: boolean;
}

export interface HttpOptions {
  retry?: Retry;
  /** Until a connection must stand. */
  connectTimeoutMs?: number;
  now?: () => number;
}

export interface HttpRequest {
  method: Dispatcher.HttpMethod;
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For the whole answer to one attempt. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Of a successful answer. */
  maxBytes?: number;
}

interface Head {
  status: number;
  /** Whether the status is one of success. */
  ok: boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  header(name: string): string | undefined;
  /** What the answer sets, as a Cookie header sends it back. */
  cookies: string;
}

export interface HttpReply extends Head {
  text: string;
}

/** An answer whose body is still to come; reading it throws what `request` would. */
export interface OpenHttpReply extends Head {
  body: AsyncIterable<Buffer>;
  text(): Promise<string>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const MOST_CONNECTIONS = 128;
/** Node servers close idle connections after 5 seconds; ours are given up before that, so that no request meets a closing one. */
const IDLE_MS = 3_000;
const LONGEST_WAIT_MS = 86_400_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Nobody reads on in a refusal. */
const MOST_REFUSAL_BYTES = 64 * 1024;
const NO_RETRY: Retry = { pausesMs: [], longestWaitMs: 0 };
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];
const PASSING_STATUSES = [408, 502, 503, 504];

/**
 * Requests over HTTP. Any status is an answer; trouble on the way is a TransportError, the caller's abort is its own reason, and
 * everything else is a bug and stays what it is. Redirects are not followed: they would take keys elsewhere.
 */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #retry: Retry;
  #agent: Promise<Dispatcher> | undefined;

  constructor(options: HttpOptions = {}) {
    this.#options = options;
    this.#retry = options.retry ?? NO_RETRY;
  }

  /** The whole answer. What may pass by itself is tried again, where that is harmless. */
  async request(request: HttpRequest): Promise<HttpReply> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(request);
      const wait = this.#waitAfter(outcome, request, attempt);
      if (wait !== undefined) await pause(wait, request.signal);
      else if (outcome instanceof TransportError) throw outcome;
      else return outcome;
    }
  }

  async #attempt(request: HttpRequest): Promise<HttpReply | TransportError> {
    try {
      const { body: _body, text, ...head } = await this.open(request);
      return { ...head, text: await text() };
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
  }

  #waitAfter(outcome: HttpReply | TransportError, { method }: HttpRequest, attempt: number): number | undefined {
    const { pausesMs, longestWaitMs, repeatable = false } = this.#retry;
    const usual = pausesMs[attempt];
    if (usual === undefined) return undefined;
    const harmless = repeatable || SAFE_METHODS.includes(method);
    if (outcome instanceof TransportError) {
      return (harmless && outcome.problem === 'broken') || (repeatable && outcome.problem !== 'too_large') ? usual : undefined;
    }
    const { status } = outcome;
    const passes = status === 429 || (harmless && PASSING_STATUSES.includes(status)) || (repeatable && status >= 500);
    const wait = waitOf(outcome.header('retry-after'), (this.#options.now ?? Date.now)()) ?? usual;
    return passes && wait <= longestWaitMs ? wait : undefined;
  }

  /** The answer as it comes in, to one attempt; only its end, its clock or an abort ends it. */
  async open(request: HttpRequest): Promise<OpenHttpReply> {
    const { method, url, headers = {}, body, signal, timeoutMs, maxBytes = MOST_BYTES } = request;
    const clock = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [signal, clock].filter((one) => one !== undefined);
    const known = (error: unknown): unknown => {
      if (signal?.aborted) return signal.reason;
      if (clock?.aborted) return new TransportError('timeout', 'TIMEOUT', `no answer within ${Number(timeoutMs) / 1000} seconds`, error);
      return transportErrorOf(error) ?? error;
    };
    const { origin, pathname, search } = new URL(url);
    const agent = await this.#opened();
    try {
      const response = await agent.request({
        origin,
        path: pathname + search,
        method,
        headers: { 'user-agent': 'millrace', ...headers },
        body: body ?? null,
        ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      });
      const head = headOf(response);
      const chunks = bodyOf(response.body, known);
      return { ...head, body: chunks, text: () => (head.ok ? whole(chunks, maxBytes) : beginning(chunks, MOST_REFUSAL_BYTES)) };
    } catch (error) {
      throw known(error);
    }
  }

  async #opened(): Promise<Dispatcher> {
    this.#agent ??= openAgent(this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    return this.#agent;
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
    this.#agent = undefined;
  }
}

/** undici is loaded with the first request: most starts never make one. */
async function openAgent(connectTimeoutMs: number): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The request's own clock ends it: these two would cut long answers short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  });
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): Head {
  const all = (name: string) => [headers[name] ?? []].flat();
  return {
    status: statusCode,
    ok: statusCode >= 200 && statusCode < 300,
    headers,
    header: (name) => all(name)[0],
    cookies: all('set-cookie')
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  };
}

/** Whoever stops reading ends the connection; errors of the reader do not come through here. */
async function* bodyOf(body: AsyncIterable<Buffer>, known: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw known(error);
  }
}

async function whole(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const { bytes, tooLarge } = await gathered(body, most);
  if (tooLarge) throw new TransportError('too_large', 'TOO_LARGE', `the answer exceeds ${most} bytes`);
  return bytes.toString('utf8');
}

async function beginning(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  return (await gathered(body, most)).bytes.toString('utf8');
}

/** Reads on only until the limit is passed. */
async function gathered(body: AsyncIterable<Buffer>, most: number): Promise<{ bytes: Buffer; tooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), tooLarge: size > most };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** What a Retry-After header asks for, in milliseconds: it holds seconds or a date. */
export function waitOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_WAIT_MS);
  const at = Date.parse(text);
  return Number.isNaN(at) || text.startsWith('-') ? undefined : Math.min(Math.max(0, at - now), LONGEST_WAIT_MS);
}
