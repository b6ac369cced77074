import { mkdirSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { Agent } from '@millrace/agent';
import { requestStates } from '@millrace/transports';
import { listen } from '@millrace/transports/http';
import { agentRoutes } from '../../agent-routes.ts';
import { compose } from '../../compose.ts';
import type { Configuration } from '../../configuration.ts';
import { ownerToken } from '../../identity.ts';
import { createLog } from '../../log.ts';
import { createMetrics } from '../../metrics.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';
import { addN8nMeanwhile } from './engine.ts';
import { aboutThisServer } from './stdio.ts';

const PENDING_SECONDS = 24 * 3600;
const CLOSE_MS = 15_000;

export async function run({ configuration, line, terminal }: CommandContext): Promise<number> {
  const configured = configuration();
  if (!line.input.values.welcome) return serveHttp(configured, () => {});
  // A person reads along: what they are told takes the place of the log of an ordinary start.
  const core = { ...configured.core, logLevel: configured.core.logLevel === 'info' ? ('warn' as const) : configured.core.logLevel };
  return serveHttp({ ...configured, core }, (url, token) => {
    terminal.say(welcome(url, token, programName(configured.workingDirectory)));
    void addN8nMeanwhile(configured, terminal);
  });
}

/** Serves until the process is told to stop, then finishes running calls. */
export async function serveHttp(configured: Configuration, onListening: (url: string, token: string) => void): Promise<number> {
  const { core, home } = configured;
  const log = createLog(core.logLevel);
  const tools = new Set<string>();
  const metrics = createMetrics(() => tools, VERSION);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const token = ownerToken(core.token, home);
  const millrace = await compose({ configuration: { ...configured, core: { ...core, token } }, log, observe: metrics.observed });
  for (const { tool } of millrace.catalog.entries()) tools.add(tool.name);
  const stop = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop.resolve);
  let opened: Promise<Agent> | undefined;
  const agent = () => {
    opened ??= import('../../agent-assembly.ts').then(({ openAgent }) => openAgent(millrace, configured, log));
    return opened;
  };
  const server = await listen({
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
  log.info({ url: server.url }, 'listening');
  onListening(server.url, token);
  await stop.promise;
  log.info({}, 'finishing running calls');
  setTimeout(() => process.exit(1), CLOSE_MS).unref();
  await (await opened)?.close();
  await server.close();
  await millrace.close();
  return 0;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** How this program is called from here: by its path within a checkout, else by its name. */
function programName(workingDirectory: string): string {
  const path = relative(workingDirectory, process.argv[1] ?? '');
  return path.startsWith('..') || isAbsolute(path) ? 'millrace' : `node ${path}`;
}

function welcome(url: string, token: string, program: string): string {
  return `
Millrace is running at ${url}

  Your token: ${token}

Paste this into an assistant that speaks MCP over HTTP:

  {"mcpServers": {"millrace": {"type": "http", "url": "${url}/mcp", "headers": {"Authorization": "Bearer ${token}"}}}}

Or, for an assistant on this machine: ${program} connect claude (or claude-code, cursor, vscode, codex, kiro).
Stop with Ctrl-C.
`;
}
