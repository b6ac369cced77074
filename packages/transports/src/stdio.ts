import type { Catalog, Log } from '@millrace/kernel';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CatalogServer, type McpServerOptions } from './mcp-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface StdioOptions extends McpServerOptions {
  log: Log;
  /** The client has gone, and has the answers that were worth waiting for. */
  onEnd(): void;
}

/** A client that pipes its requests in still reads the answers. */
const PATIENCE_MS = 10_000;
/** A job may run for minutes, and goes on where it was when it is called again: it gets time for a short run. */
const JOB_PATIENCE_MS = 500;

/** Serves the one client at stdin and stdout, in whichever protocol era it opens. */
export function serveOverStdio(options: StdioOptions): { close(): Promise<void> } {
  const { catalog, log, onEnd } = options;
  return serveStdio(() => new CatalogServer(options, { kind: 'local' }), {
    transport: new StdioTransport({
      stdin: process.stdin,
      stdout: process.stdout,
      patienceMs: (request) => patienceFor(request, catalog),
      onEnd,
    }),
    onerror: (error) => log.warn({ err: error }, 'the connection reported an error'),
  });
}

/** A subscription is only answered at its end. */
function patienceFor({ method, params }: JSONRPCRequest, catalog: Catalog): number {
  if (method === 'subscriptions/listen') return 0;
  const isJob = method === 'tools/call' && catalog.find(String(params?.name))?.tool.job !== undefined;
  return isJob ? JOB_PATIENCE_MS : PATIENCE_MS;
}
