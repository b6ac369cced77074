import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { verdaccioEntry } from '../../scripts/real-registry.ts';

interface Verdaccio {
  runServer(config: object): Promise<Server>;
}

/** A real npm registry on loopback. It knows what was published to it and can ask no other registry. */
export interface Registry {
  url: string;
  /** What was asked for, such as `GET /millrace`. */
  asked: string[];
  /** How long it waits before each answer, in milliseconds; Infinity for a registry that never answers. */
  delay: number;
  /** Resolves when a request for a tarball arrives. */
  tarballAsked(): Promise<void>;
  close(): Promise<void>;
}

export async function startRegistry(storage: string): Promise<Registry> {
  const verdaccio = createRequire(import.meta.url)(verdaccioEntry()) as Verdaccio;
  const configPath = `${storage}/config.yaml`;
  const application = await verdaccio.runServer({
    storage,
    self_path: configPath,
    configPath,
    uplinks: {},
    packages: { '**': { access: '$all', publish: '$all' } },
    max_body_size: '200mb',
    web: { enable: false },
    log: { type: 'file', path: `${storage}/log`, level: 'warn', format: 'json' },
  });
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    registry.asked.push(`${request.method} ${request.url}`);
    if (request.url?.endsWith('.tgz')) for (const resolve of waiting.splice(0)) resolve();
    if (registry.delay === Number.POSITIVE_INFINITY) return;
    if (registry.delay > 0) await sleep(registry.delay);
    application.emit('request', request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: Registry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: [],
    delay: 0,
    tarballAsked: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return registry;
}
