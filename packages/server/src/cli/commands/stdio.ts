import type { Log } from '@millrace/kernel';
import { requestStates, serveOverStdio } from '@millrace/transports';
import { compose, type Millrace } from '../../compose.ts';
import { createLog } from '../../log.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';

const PENDING_SECONDS = 24 * 3600;

export async function run({ configuration: read }: CommandContext): Promise<number> {
  const configuration = read();
  const log = createLog(configuration.core.logLevel);
  return serveStdio(await compose({ configuration, log }), log);
}

/** Serves until the client goes or the process is told to stop, then finishes running calls. */
export async function serveStdio(millrace: Millrace, log: Log): Promise<number> {
  const ended = Promise.withResolvers<void>();
  const connection = serveOverStdio({
    catalog: millrace.catalog,
    about: aboutThisServer(millrace),
    requestStates: requestStates(() => millrace.storage.keys.get('request-state'), PENDING_SECONDS),
    log,
    onEnd: ended.resolve,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, ended.resolve);
  await ended.promise;
  await millrace.close();
  await connection.close();
  return 0;
}

export function aboutThisServer(millrace: Millrace) {
  return { name: 'millrace', title: 'Millrace', version: VERSION, instructions: millrace.instructions };
}
