// A server with one more tool, which does an effect, asks, and does another effect: `node asking-server.ts stdio|http`.
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { product } from '../harness/package.ts';
import { plainWire } from '../harness/plain-wire.ts';

const { compose, configure, createLog, listen, requestStates, serveOverStdio, toolsOf } = await product();

const effects = process.env.EFFECTS as string;
const happened = (effect: string) => appendFileSync(effects, `${effect}\n`);

const order = toolsOf<unknown>()({
  name: 'order',
  description: 'Reserves, asks for the size, then orders',
  said: [],
  access: 'write',
  annotations: { title: 'Order', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  asks: true,
  input: z.strictObject({ item: z.string() }),
  output: z.object({ ordered: z.string(), size: z.string() }),
  async run({ item }, { ask, once }) {
    await once('reserve', () => happened(`reserve ${item}`));
    const { size } = await ask(`Which size of ${item}?`, z.object({ size: z.enum(['S', 'M', 'L']).describe('The size') }));
    await once('order', () => happened(`order ${item} ${size}`));
    return { ordered: item, size };
  },
});

const configuration = configure({
  flags: {},
  home: undefined,
  config: undefined,
  environment: process.env,
  workingDirectory: process.cwd(),
});
const log = createLog('info');
const shop = { name: 'shop', title: 'Shop', instructions: '', tools: [order], wire: plainWire, services: undefined };
const millrace = await compose({ configuration, log, manifests: [{ name: 'shop', create: async () => shop }] });
const common = {
  catalog: millrace.catalog,
  about: { name: 'seam', title: 'Seam', version: '0', instructions: '' },
  requestStates: requestStates(() => millrace.storage.keys.get('request-state'), 3600),
  log,
};
if (process.argv[2] === 'http') {
  const server = await listen({
    ...common,
    identity: millrace.identity,
    allowedHosts: [],
    allowedOrigins: [],
    host: '127.0.0.1',
    port: 0,
    ready: async () => {},
    metrics: async () => '',
  });
  log.info({ url: server.url }, 'listening');
} else {
  serveOverStdio({ ...common, onEnd: () => void millrace.close().then(() => process.exit(0)) });
}
