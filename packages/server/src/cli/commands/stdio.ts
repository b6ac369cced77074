import type { Log, Terminal } from '@millrace/kernel';
import { requestStates, serveOverStdio } from '@millrace/transports';
import { compose, type Millrace } from '../../compose.ts';
import { createLog } from '../../log.ts';
import type { Shutdown } from '../../shutdown.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';

const PENDING_SECONDS = 24 * 3600;

export async function run({ configuration: read, terminal, shutdown }: CommandContext): Promise<number> {
  const configuration = read();
  if (process.stdin.isTTY) terminal.say(toThePersonAt(terminal));
  const log = createLog(configuration.core.logLevel);
  return serveStdio(await compose({ configuration, log }), log, shutdown);
}

/** Serves until the client disconnects or the process is asked to stop, then closes in order. */
export async function serveStdio(millrace: Millrace, log: Log, shutdown: Shutdown): Promise<number> {
  const connection = serveOverStdio({
    catalog: millrace.catalog,
    about: aboutThisServer(millrace),
    requestStates: requestStates(() => millrace.storage.keys.get('request-state'), PENDING_SECONDS),
    log,
    onEnd: () => shutdown.begin(),
  });
  await shutdown.requested;
  const { brokenOff } = await millrace.close();
  await connection.close();
  return brokenOff ? 1 : 0;
}

/** A person typed the bare command: an assistant would not have a terminal. */
function toThePersonAt({ program }: Terminal): string {
  return [
    'This is the Millrace MCP server, waiting for an assistant on stdin. Press Ctrl-C to stop it.',
    `To set everything up, type: ${program} init. All commands: ${program} --help`,
  ].join('\n');
}

export function aboutThisServer(millrace: Millrace) {
  return { name: 'millrace', title: 'Millrace', version: VERSION, instructions: millrace.instructions };
}
