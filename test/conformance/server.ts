import { OWNER, openMillrace } from '../harness/millrace.ts';
import { product } from '../harness/package.ts';
import { withFixtures } from './fixture.ts';

/** The package's HTTP server with the suite's fixtures, open to everybody on loopback: the suite sends no token. */
export async function conformanceServer() {
  const { listen, requestStates } = await product();
  const millrace = await openMillrace();
  const server = await listen({
    catalog: millrace.catalog,
    about: { name: 'millrace-conformance', title: 'Millrace', version: '0.0.0', instructions: '' },
    requestStates: requestStates(async () => new Uint8Array(32).fill(1), 600),
    identity: { identify: () => OWNER },
    allowedHosts: [],
    allowedOrigins: [],
    host: '127.0.0.1',
    port: 0,
    log: millrace.log,
    ready: async () => {},
    metrics: async () => '',
    extend: withFixtures,
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await millrace.close();
    },
  };
}
