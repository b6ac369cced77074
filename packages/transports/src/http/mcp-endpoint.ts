import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, User } from '@millrace/kernel';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, classifyInboundRequest, createMcpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { CatalogServer, type McpServerOptions } from '../mcp-server.ts';
import { header, Sessions } from './sessions.ts';

type ModernRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

/** MCP over HTTP in both eras: a fresh server per request for 2026 clients, a session each for those of 2025. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #serveModern: ReturnType<typeof toNodeHandler>;

  constructor(options: McpServerOptions & { log: Log }) {
    this.#sessions = new Sessions(options);
    const onerror = (error: Error) => options.log.debug({ err: error }, 'a request was not served');
    this.#modern = createMcpHandler(
      (request) => new CatalogServer(options, { kind: 'identified', user: request.authInfo?.extra?.user as User }, this.#modern.notify),
      { legacy: 'reject', onerror },
    );
    this.#serveModern = toNodeHandler(this.#modern, { onerror });
  }

  get sessions(): number {
    return this.#sessions.size;
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
  const headers = {
    ...named('protocolVersionHeader', header(request, 'mcp-protocol-version')),
    ...named('mcpMethodHeader', header(request, 'mcp-method')),
    ...named('mcpNameHeader', header(request, 'mcp-name')),
  };
  return classifyInboundRequest({ httpMethod: request.method ?? 'GET', ...headers, ...(body !== undefined && { body }) }).kind === 'legacy';
}

function claimsModernEra(body: unknown): boolean {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } } | null | undefined)?.params?._meta;
  return typeof meta?.[PROTOCOL_VERSION_META_KEY] === 'string';
}

function named<Name extends string>(name: Name, value: string | undefined): { [key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: string };
}
