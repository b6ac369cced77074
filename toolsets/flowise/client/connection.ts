import { HttpClient, type HttpReply, type HttpRequest, headerSecret, TransportError } from '@millrace/http';
import { type Clock, Failure } from '@millrace/kernel';
import { cancelled, cutShort, failureOf, failureOfTransport, noSuchChatflow, type Operation, wrongUrl } from './refusals.ts';

export interface ConnectionOptions {
  url: string | undefined;
  key: string | undefined;
  clock: Clock;
  /** For opening the connection. */
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

/** An answer whose body is still to come; reading it fails with a Failure too. */
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
    const reply = await this.#http.request(sent).catch((error: unknown) => rethrow(error, request));
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
      return { contentType: reply.header('content-type') ?? '', body: readable(reply.body, request) };
    } catch (error) {
      return rethrow(error, request);
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

  #refusal({ status, header }: Pick<HttpReply, 'status' | 'header'>, text: string, { operation }: Request): Failure {
    const refusal = { status, contentType: header('content-type') ?? '', retryAfter: header('retry-after'), text };
    return failureOf(refusal, operation, this.hasKey, this.#options.clock.now());
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** Trouble on the way is thrown in Flowise's terms; everything else as it is. */
function rethrow(error: unknown, { operation, signal, timeoutMs }: Request): never {
  if (signal.aborted) throw cancelled(signal.reason);
  throw error instanceof TransportError ? failureOfTransport(error, operation, timeoutMs) : error;
}

async function* readable(body: AsyncIterable<Buffer>, request: Request): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    rethrow(error, request);
  }
}

function queryOf(query: Request['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** Where a Flowise API is: the origin that connections go to and the path below which its routes are. */
export interface Address {
  origin: string;
  basePath: string;
}

const LONGEST_ID = 512;

/** Reads FLOWISE_API_URL as people write it: with or without a slash or /api/v1 at its end. */
export function addressOf(url: string | undefined): Address {
  if (!url?.trim()) {
    throw new Failure('unavailable', 'FLOWISE_API_URL is not set, so there is no Flowise to talk to', {
      details: { variable: 'FLOWISE_API_URL' },
      fix: {
        instruction: 'Set FLOWISE_API_URL to the address of Flowise, such as http://localhost:3000, or install one',
        command: 'engine add flowise',
      },
    });
  }
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw badAddress('is not an http or https address');
  if (parsed.username || parsed.password) throw badAddress('must not contain a user name or password: the key belongs in FLOWISE_API_KEY');
  const path = parsed.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return { origin: parsed.origin, basePath: `${path}/api/v1` };
}

function badAddress(what: string): Failure {
  return new Failure('unavailable', `FLOWISE_API_URL ${what}`, {
    details: { variable: 'FLOWISE_API_URL' },
    fix: { instruction: 'Set FLOWISE_API_URL to the address of Flowise, such as http://localhost:3000' },
  });
}

/** An id as one segment of a path. Ids are opaque, but none that would climb or overflow the path can name a chatflow. */
export function segment(id: string): string {
  if (id === '.' || id === '..' || id.length > LONGEST_ID || !id.isWellFormed()) throw noSuchChatflow(id);
  return encodeURIComponent(id);
}
