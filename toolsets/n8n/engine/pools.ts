import { join } from 'node:path';
import type { EgressRules } from '@millrace/http';
import { Egress } from '@millrace/http/egress';
import { EgressProxy } from './confinement/egress-proxy.ts';
import type { EngineLimits } from './embedded-engine.ts';
import { checkCodeMessage, checkEngineMessage } from './messages.ts';
import { type ProcessKind, ProcessPool } from './process-pool.ts';
import type { FromCode, FromEngine, ToCode, ToEngine } from './protocol.ts';

export interface Pools {
  engine: ProcessPool<ToEngine, FromEngine>;
  code: ProcessPool<ToCode, FromCode>;
}

const ANYWHERE: EgressRules = { allow: [], deny: [], privateNetworks: true };

/** The two kinds of processes of the engine; none is started yet. */
export function openPools(packFolder: string, { processes, memoryMb, idleMs }: EngineLimits, rules = ANYWHERE): Pools {
  const pool = <Outgoing, Incoming>(kind: Omit<ProcessKind<Incoming>, 'readable'>) =>
    new ProcessPool<Outgoing, Incoming>({ ...kind, readable: [packFolder] }, { most: processes, idleMs });
  return {
    engine: pool({
      title: 'the n8n engine',
      script: ENGINE_SCRIPT,
      arguments: (folder) => [packFolder, folder, wayOut(folder)],
      async furnish(folder, note) {
        const proxy = new EgressProxy(new Egress(rules), ({ host, port, reason }) => note(`${host}:${port} was not reached: ${reason}`));
        await proxy.listen(wayOut(folder));
        return () => proxy.close();
      },
      writes: true,
      memoryMb,
      check: checkEngineMessage,
    }),
    code: pool({
      title: 'Code nodes',
      script: CODE_SCRIPT,
      arguments: () => [packFolder],
      writes: false,
      memoryMb: Math.min(memoryMb, 256),
      check: checkCodeMessage,
    }),
  };
}

/** Where a process finds the proxy that is its only way to the network. */
function wayOut(folder: string): string {
  return join(folder, 'egress.sock');
}

/** The scripts of the engine's processes: beside this file in the repository, files of their own beside the bundle in a build. */
const built = import.meta.url.endsWith('.js');

const ENGINE_SCRIPT = new URL(built ? './n8n/child/main.js' : './child/main.ts', import.meta.url);
const CODE_SCRIPT = new URL(built ? './n8n/code/main.js' : './code/main.ts', import.meta.url);
