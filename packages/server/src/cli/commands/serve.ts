import { join } from 'node:path';
import type { Agent } from '@millrace/agent';
import { Failure, isSystemError } from '@millrace/kernel';
import { makeHome } from '@millrace/storage';
import { requestStates } from '@millrace/transports';
import { type HttpOptions, listen } from '@millrace/transports/http';
import { agentRoutes } from '../../agent-routes.ts';
import { compose, isLoopback } from '../../compose.ts';
import type { Configuration } from '../../configuration.ts';
import { ownerToken } from '../../identity.ts';
import { createLog } from '../../log.ts';
import { createMetrics } from '../../metrics.ts';
import { noteServer, runningServers } from '../../running-servers.ts';
import type { Shutdown } from '../../shutdown.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';
import { offerEngines } from './engine.ts';
import { aboutThisServer } from './stdio.ts';

const PENDING_SECONDS = 24 * 3600;

export async function run(context: CommandContext): Promise<number> {
  const { line, terminal, shutdown } = context;
  const configured = context.configuration();
  const greet = (url: string, token: string) => terminal.say(welcome(url, token, terminal.program));
  if (!line.input.values.welcome) return serveHttp(configured, shutdown, terminal.interactive ? greet : () => {});
  // A person is watching: the welcome replaces the usual log of a start.
  const core = { ...configured.core, logLevel: configured.core.logLevel === 'info' ? ('warn' as const) : configured.core.logLevel };
  return serveHttp({ ...configured, core }, shutdown, (url, token) => {
    greet(url, token);
    offerEngines(context, configured).catch((error: unknown) => {
      // Ctrl-C stops the server, even while a question is open.
      if (error instanceof Failure && error.code === 'cancelled') shutdown.begin();
      else if (!terminal.signal.aborted)
        terminal.say(`Engines could not be offered: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
}

/** Serves until the process is asked to stop, then closes in order. */
export async function serveHttp(
  configured: Configuration,
  shutdown: Shutdown,
  onListening: (url: string, token: string) => void,
): Promise<number> {
  const { core, home } = configured;
  const log = createLog(core.logLevel);
  const tools = new Set<string>();
  const metrics = createMetrics(() => tools, VERSION);
  makeHome(home);
  const token = ownerToken(core.token, home);
  const millrace = await compose({
    configuration: { ...configured, core: { ...core, token } },
    log,
    observe: metrics.observed,
    served: true,
  });
  for (const { tool } of millrace.catalog.entries()) tools.add(tool.name);
  let opened: Promise<Agent> | undefined;
  const agent = () => {
    opened ??= import('../../agent-assembly.ts').then(({ openAgent }) => openAgent(millrace, configured, log));
    return opened;
  };
  const server = await listenOnce(home, {
    catalog: millrace.catalog,
    about: aboutThisServer(millrace),
    requestStates: requestStates(() => millrace.storage.keys.get('request-state'), PENDING_SECONDS),
    identity: millrace.identity,
    host: core.host,
    port: core.port,
    allowedHosts: isLoopback(core.host) ? core.allowedHosts : [core.host, ...core.allowedHosts],
    allowedOrigins: core.allowedOrigins,
    log,
    ready: () => millrace.storage.store.check(),
    metrics: metrics.text,
    routes: agentRoutes(agent),
  });
  const forget = noteServer(home, server.url);
  log.info({ url: server.url, ...(core.token === undefined && { tokenFile: join(home, 'token') }) }, 'listening');
  onListening(server.url, token);
  await shutdown.requested;
  forget();
  log.info({}, 'finishing running calls');
  const turns = await (await opened)?.close();
  await server.close();
  const calls = await millrace.close();
  return turns?.brokenOff || calls.brokenOff ? 1 : 0;
}

/** Listens; where the port is taken by a server of this home, the failure names it. */
async function listenOnce(home: string, options: HttpOptions): ReturnType<typeof listen> {
  try {
    return await listen(options);
  } catch (error) {
    if (!(error instanceof Failure) || !isSystemError(error.cause) || error.cause.code !== 'EADDRINUSE') throw error;
    const running = (await runningServers(home)).find((url) => new URL(url).port === String(options.port));
    if (running === undefined) throw error;
    throw new Failure('unavailable', `Millrace already runs at ${running}`, {
      details: error.details,
      fix: { ...error.fix, instruction: 'Use the one that runs, or choose another port' },
      cause: error,
    });
  }
}

function welcome(url: string, token: string, program: string): string {
  return `
Millrace is running at ${url}

  Your token: ${token}

Paste this into an assistant that speaks MCP over HTTP:

  {"mcpServers": {"millrace": {"type": "http", "url": "${url}/mcp", "headers": {"Authorization": "Bearer ${token}"}}}}

Or, for an assistant on this machine, in a second terminal:

  ${program} init       sets up documents, Flowise, n8n and your assistants, step by step
  ${program} connect    lists the assistants it can connect
  ${program} doctor     shows what works and what is missing

Stop with Ctrl-C.
`;
}
