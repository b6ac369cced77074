import type { Log } from '@millrace/kernel';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CatalogServer, type McpServerOptions } from './mcp-server.ts';

export interface StdioOptions extends McpServerOptions {
  log: Log;
  /** The client has gone: nothing more will be read or answered. */
  onEnd(): void;
}

/** Serves the one client at stdin and stdout, in whichever protocol era it opens. */
export function serveOverStdio(options: StdioOptions): { close(): Promise<void> } {
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    options.onEnd();
  };
  process.stdin.once('end', end).once('close', end);
  process.stdout.once('error', end);
  return serveStdio(() => new CatalogServer(options, { kind: 'local' }), {
    transport: new GatheringTransport(),
    onerror: (error) => options.log.warn({ err: error }, 'the connection reported an error'),
  });
}

/** Replies that are ready at the same moment, as those of calls whose audit rows were one commit, leave in one write. */
class GatheringTransport extends StdioServerTransport {
  override send(...message: Parameters<StdioServerTransport['send']>): Promise<void> {
    process.stdout.cork();
    process.nextTick(() => process.stdout.uncork());
    return super.send(...message);
  }
}
