import { requestStates } from '@millrace/transports';
import { listen } from '@millrace/transports/http';
import { OWNER, testCatalog } from '../harness/catalog.ts';
import { withFixtures } from './fixture.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** The product's HTTP server with the suite's fixtures, open to everybody on loopback: the suite sends no token. */
export function conformanceServer() {
  const { catalog } = testCatalog([]);
  return listen({
    catalog,
    about: { name: 'millrace-conformance', title: 'Millrace', version: '0.0.0', instructions: '' },
    requestStates: requestStates(async () => new Uint8Array(32).fill(1), 600),
    identity: { identify: () => OWNER },
    allowedHosts: [],
    allowedOrigins: [],
    host: '127.0.0.1',
    port: 0,
    log,
    ready: async () => {},
    metrics: async () => '',
    extend: withFixtures,
  });
}
