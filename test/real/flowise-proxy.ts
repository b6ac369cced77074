import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a proxy mistreats what passes through it. */
export type Trouble = 'none' | 'hang' | 'reset' | 'half' | 'slow' | 'expired';

/** A proxy in front of a real Flowise that can go wrong in the ways that networks and servers do. */
export interface TroubledProxy {
  url: string;
  trouble: Trouble;
  /** What the trouble is for; everything when undefined. */
  only: RegExp | undefined;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<TroubledProxy> {
  const server = createServer((incoming, response) => void pass(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: TroubledProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    trouble: 'none',
    only: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const concerned = proxy.only?.test(`${incoming.method} ${incoming.url}`) ?? true;
    const trouble = concerned ? proxy.trouble : 'none';
    const body = await read(incoming);
    if (trouble === 'hang') return;
    if (trouble === 'reset') return void incoming.socket.destroy();
    const headers = { ...incoming.headers, ...(trouble === 'expired' && { authorization: 'Bearer a-key-that-has-expired' }) };
    const answer = await forwarded(`${target}${incoming.url}`, incoming.method ?? 'GET', headers, body);
    if (trouble === 'half') {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
      response.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => incoming.socket.destroy());
      return;
    }
    response.writeHead(answer.status, answer.headers);
    if (trouble === 'slow') {
      const middle = Math.floor(answer.body.length / 2);
      response.write(answer.body.subarray(0, middle));
      await sleep(300);
      response.end(answer.body.subarray(middle));
    } else response.end(answer.body);
  }
  return proxy;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

function forwarded(url: string, method: string, headers: IncomingMessage['headers'], body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { 'transfer-encoding': _chunked, ...others } = headers;
    const onward = request(url, { method, headers: { ...others, 'content-length': body.length } }, async (reply) => {
      const type = reply.headers['content-type'];
      resolve({ status: reply.statusCode ?? 0, headers: type ? { 'content-type': type } : {}, body: await read(reply) });
    });
    onward.once('error', reject);
    onward.end(body);
  });
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
