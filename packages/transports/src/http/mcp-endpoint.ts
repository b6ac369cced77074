import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, User } from '@millrace/kernel';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, classifyInboundRequest, createMcpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { CatalogServer, type McpServerOptions } from '../mcp-server.ts';

type ModernRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

/** MCP over HTTP in both eras: a fresh server per request for 2026 clients, a session each for those of 2025. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #serveModern: ReturnType<typeof toNodeHandler>;

  constructor(options: McpServerOptions & { log: Log }) {
    this.#sessions = new Sessions(options);
    const onerror = (error: Error) => options.log.debug({ err: error }, 'could not serve an MCP request');
    this.#modern = createMcpHandler(
      (request) => new CatalogServer(options, { kind: 'identified', user: request.authInfo?.extra?.user as User }, this.#modern.notify),
      { legacy: 'reject', onerror },
    );
    this.#serveModern = toNodeHandler(this.#modern, { onerror });
  }

  async serve(request: IncomingMessage, response: ServerResponse, body: unknown, user: User): Promise<void> {
    if (isLegacy(request, body)) return this.#sessions.serve(request, response, body, user);
    const auth: AuthInfo = { token: '', clientId: user.id, scopes: [], extra: { user } };
    await this.#serveModern(Object.assign(request, { auth }) as ModernRequest, response, body);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#sessions.close(), this.#modern.close()]);
  }
}

function isLegacy(request: IncomingMessage, body: unknown): boolean {
  if (header(request, 'mcp-session-id') !== undefined) return true;
  if (claimsModernEra(body)) return false;
  const version = header(request, 'mcp-protocol-version');
  const method = header(request, 'mcp-method');
  const name = header(request, 'mcp-name');
  const { kind } = classifyInboundRequest({
    httpMethod: request.method ?? 'GET',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    ...(body !== undefined && { body }),
  });
  return kind === 'legacy';
}

function claimsModernEra(body: unknown): boolean {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } } | null | undefined)?.params?._meta;
  return typeof meta?.[PROTOCOL_VERSION_META_KEY] === 'string';
}

interface Session {
  transport: NodeStreamableHTTPServerTransport;
  server: CatalogServer;
  userId: string;
  usedAt: number;
}

const IDLE_MS = 60 * 60_000;
const MAX_SESSIONS = 1000;
/** Who opens more loses their own oldest, and nobody else's. */
const MAX_SESSIONS_OF_A_USER = 100;

/** Clients of the 2025 revisions: a session each, so that questions, progress and cancellation reach them. */
class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #options: McpServerOptions & { log: Log };
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: McpServerOptions & { log: Log }) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(Date.now()), IDLE_MS / 10);
    this.#sweeper.unref();
  }

  async serve(request: IncomingMessage, response: ServerResponse, body: unknown, user: User): Promise<void> {
    const id = header(request, 'mcp-session-id');
    if (id === undefined) return this.#open(request, response, body, user);
    const session = this.#sessions.get(id);
    if (!session || session.userId !== user.id) return rpcError(response, 404, -32001, 'Session not found. Initialize a new one');
    session.usedAt = Date.now();
    await session.transport.handleRequest(request, response, body);
  }

  async #open(request: IncomingMessage, response: ServerResponse, body: unknown, user: User): Promise<void> {
    if (!opensSession(body)) return rpcError(response, 400, -32000, 'Mcp-Session-Id is missing: send initialize first');
    this.#makeRoom(user);
    const server = new CatalogServer(this.#options, { kind: 'identified', user });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, server, userId: user.id, usedAt: Date.now() });
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    transport.onerror = (error) => this.#options.log.debug({ err: error }, 'error in an MCP session');
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  }

  #sweep(now: number): void {
    for (const [id, session] of this.#sessions) if (now - session.usedAt > IDLE_MS) this.#drop(id, session);
  }

  #makeRoom({ id }: User): void {
    const users = Map.groupBy(this.#sessions, ([, { userId }]) => userId);
    const own = users.get(id) ?? [];
    if (own.length >= MAX_SESSIONS_OF_A_USER) this.#dropOldest(own);
    else if (this.#sessions.size >= MAX_SESSIONS)
      this.#dropOldest([...users.values()].reduce((most, sessions) => (sessions.length > most.length ? sessions : most)));
  }

  #dropOldest(sessions: readonly [string, Session][]): void {
    const [oldest] = sessions.toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest) this.#drop(...oldest);
  }

  #drop(id: string, session: Session): void {
    this.#sessions.delete(id);
    void session.server.close().catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled(all.map((session) => session.server.close()));
  }
}

function opensSession(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as { method?: unknown } | null)?.method === 'initialize');
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function rpcError(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
