import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Credentials, Failure, type Log, recordOf, type User } from '@millrace/kernel';
import type { McpServerOptions } from '../mcp-server.ts';
import { McpEndpoint, rpcError } from './mcp-endpoint.ts';
import { signInPage, statusPage } from './pages.ts';
import { type Body, credentialsOf, type GuardOptions, readBody, refuseForeign, userOf } from './request.ts';
import { errorBody, invalidFormat, type RestAnswer, restExecute, restTools } from './rest.ts';

/** A further route, for parts of the product outside this package. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Exact, or a prefix when it ends with a slash. */
  path: string;
  serve(request: IncomingMessage, response: ServerResponse, input: RouteInput): Promise<void>;
}

export interface RouteInput {
  url: URL;
  body: unknown;
  user: User;
  signal: AbortSignal;
}

export interface HttpOptions extends McpServerOptions, GuardOptions {
  host: string;
  port: number;
  log: Log;
  /** Throws while the server cannot do its work. */
  ready(): Promise<void>;
  /** The Prometheus text. */
  metrics(): Promise<string>;
  routes?: readonly Route[];
}

export interface HttpServer {
  url: string;
  port: number;
  /** Takes no new requests, finishes running calls, then closes. */
  close(): Promise<void>;
}

const PORTS_TRIED = 50;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export async function listen(options: HttpOptions): Promise<HttpServer> {
  const endpoint = new McpEndpoint(options);
  const server = createServer((request, response) => {
    const exchange = new Exchange(request, response);
    handle(exchange, options, endpoint).catch((error: unknown) => {
      const refusal = refusalOf(error, request.url, options.log);
      if (!response.headersSent) exchange.answer(refusal);
      else response.destroy();
    });
  });
  await bound(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await options.catalog.close();
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The answer to a request that never reached a tool: something it needs is missing, or there is a bug, which is logged under an id. */
function refusalOf(error: unknown, path: string | undefined, log: Log): RestAnswer {
  if (error instanceof Failure && (error.code === 'unavailable' || error.code === 'storage')) {
    log.warn({ err: error, code: error.code, path }, 'request refused');
    const details = { reason: error.code, ...(error.fix && { fix: error.fix.instruction }) };
    return { status: 503, body: errorBody('INTERNAL_SERVER_ERROR', error.message, details) };
  }
  const id = randomUUID();
  log.error({ err: error, id, path }, 'request failed unexpectedly');
  return { status: 500, body: errorBody('INTERNAL_SERVER_ERROR', 'Internal error', { id }) };
}

function bound(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => listenFailure(error, host, port).then(reject, reject));
    server.listen(port, host, resolve);
  });
}

async function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Promise<Failure> {
  const at = `${host}:${port}`;
  const options = { details: { host, port }, cause: error };
  if (error.code === 'EADDRINUSE') {
    return new Failure('unavailable', `Port ${port} is taken by another program`, {
      ...options,
      fix: { instruction: 'Choose another port', command: `serve --port ${await freePort(host, port + 1)}` },
    });
  }
  if (error.code === 'EACCES') {
    return new Failure('unavailable', `Port ${port} needs more rights than this program has`, {
      ...options,
      fix: { instruction: 'Choose a port above 1023' },
    });
  }
  return new Failure('unavailable', `The server cannot listen on ${at} (${error.code ?? 'unknown error'})`, {
    ...options,
    fix: { instruction: 'Check --host and --port' },
  });
}

/** The first free port from this one on; 0, which takes any, where there is none nearby. */
async function freePort(host: string, from: number): Promise<number> {
  for (let port = from; port < Math.min(from + PORTS_TRIED, 65_536); port++) if (await isFree(host, port)) return port;
  return 0;
}

function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** One request and the answer to it. */
class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  #url: URL | undefined;
  body: Body = { kind: 'empty' };
  /** Aborted when the client goes away before its answer is complete. */
  readonly signal: AbortSignal;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    const stop = new AbortController();
    this.signal = stop.signal;
    response.once('close', () => {
      if (!response.writableFinished) stop.abort();
    });
  }

  /** A client may send its path or, as to a proxy, the whole address; what is neither is a path that does not exist. */
  get url(): URL {
    const sent = this.request.url ?? '/';
    this.#url ??= /^https?:/.test(sent) && URL.canParse(sent) ? new URL(sent) : new URL(`http://localhost/${sent.replace(/^\//, '')}`);
    return this.#url;
  }

  /** As in `GET /metrics`. */
  get route(): string {
    return `${this.request.method} ${this.url.pathname}`;
  }

  answer({ status, body, headers }: RestAnswer): void {
    this.response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers });
    this.response.end(JSON.stringify(body));
  }

  text(status: number, type: string, content: string): void {
    this.response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    });
    this.response.end(content);
  }
}

async function handle(exchange: Exchange, options: HttpOptions, endpoint: McpEndpoint): Promise<void> {
  const { request, response, url } = exchange;
  if (url.pathname === '/healthz') return exchange.answer({ status: 200, body: { status: 'ok' } });
  if (url.pathname === '/readyz') return exchange.answer(await readiness(options));
  const foreign = refuseForeign(request, options);
  if (foreign) {
    const body = errorBody('INVALID_REQUEST_FORMAT', foreign.message, { fix: foreign.fix?.instruction });
    return exchange.answer({ status: 403, body });
  }
  const credentials = credentialsOf(request);
  const user = await userOf(credentials, options.identity);
  if (request.method === 'POST') exchange.body = await readBody(request, MAX_BODY_BYTES);
  if (user instanceof Failure) return unauthenticated(exchange, credentials, options);
  if (exchange.body.kind === 'too-large') {
    response.setHeader('connection', 'close');
    const body = errorBody('INVALID_REQUEST_FORMAT', `The body is larger than ${MAX_BODY_BYTES} bytes`, {});
    return exchange.answer({ status: 413, body });
  }
  await serve(exchange, user, options, endpoint);
}

async function serve(exchange: Exchange, user: User, options: HttpOptions, endpoint: McpEndpoint): Promise<void> {
  const { request, response, url, body, signal } = exchange;
  const value = body.kind === 'json' ? body.value : undefined;
  switch (exchange.route) {
    case 'POST /mcp':
      if (body.kind === 'broken') return rpcError(response, 400, -32700, 'Parse error: the body is not valid JSON');
      return endpoint.serve(request, response, value, user);
    case 'GET /mcp':
    case 'DELETE /mcp':
      return endpoint.serve(request, response, undefined, user);
    case 'POST /mcp/tools':
      return exchange.answer(restTools(options.catalog));
    case 'POST /mcp/execute':
      if (body.kind !== 'json') return exchange.answer(invalidFormat('The body is not valid JSON'));
      return exchange.answer(await restExecute(options.catalog, value, { kind: 'identified', user }, signal));
    case 'GET /metrics':
      return exchange.text(200, 'text/plain; version=0.0.4; charset=utf-8', await options.metrics());
    case 'GET /':
      return exchange.text(200, 'text/html; charset=utf-8', statusPage(options, user));
  }
  const extra = options.routes?.find((candidate) => candidate.method === request.method && matches(candidate.path, url.pathname));
  if (extra) return extra.serve(request, response, { url, body: value, user, signal });
  const nothing = `There is nothing at ${request.method} ${url.pathname.slice(0, 100)}`;
  exchange.answer({ status: 404, body: errorBody('INVALID_REQUEST_FORMAT', nothing, {}) });
}

function matches(path: string, asked: string): boolean {
  return path.endsWith('/') ? asked.startsWith(path) : asked === path;
}

/** A refused call of a tool is recorded like any other: the pipeline refuses it. */
async function unauthenticated(exchange: Exchange, credentials: Credentials, { catalog }: HttpOptions): Promise<void> {
  const { response, url, body } = exchange;
  response.setHeader('www-authenticate', 'Bearer realm="millrace"');
  if (exchange.route === 'GET /') return exchange.text(401, 'text/html; charset=utf-8', signInPage(catalog.program));
  const message = 'A valid token is needed: send Authorization: Bearer <token>';
  const called = body.kind === 'json' ? calledTool(url.pathname, body.value) : undefined;
  if (called) await catalog.call(called.name, called.parameters, { credentials });
  if (url.pathname === '/mcp') return rpcError(response, 401, -32001, message);
  exchange.answer({ status: 401, body: errorBody('TOOL_EXECUTION_ERROR', message, { reason: 'unauthenticated' }) });
}

function calledTool(path: string, body: unknown): { name: string; parameters: unknown } | undefined {
  const message = recordOf(body);
  const params = recordOf(message['params']);
  if (path === '/mcp/execute' && typeof message['name'] === 'string') return { name: message['name'], parameters: message['parameters'] };
  if (path === '/mcp' && message['method'] === 'tools/call' && typeof params['name'] === 'string') {
    return { name: params['name'], parameters: params['arguments'] };
  }
  return undefined;
}

async function readiness(options: HttpOptions): Promise<RestAnswer> {
  try {
    await options.ready();
    return { status: 200, body: { status: 'ready' } };
  } catch (error) {
    options.log.warn({ err: error }, 'not ready');
    return { status: 503, body: { status: 'not ready' } };
  }
}
