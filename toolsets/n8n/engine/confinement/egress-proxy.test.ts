import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { Egress } from '@millrace/http/egress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/harness/process.ts';
import { EgressProxy, type Unreached } from './egress-proxy.ts';

const folder = temporaryFolder();
const socketPath = join(folder.path, 'egress.sock');
const unreached: Unreached[] = [];
let resolutions = 0;
/** A name that is allowed when it is judged, and is somewhere else when it is asked for again. */
const resolve = async (host: string) => {
  if (host === 'rebinding.example') return resolutions++ === 0 ? ['127.0.0.1'] : ['10.0.0.1'];
  return host === 'allowed.example' ? ['127.0.0.1'] : ['169.254.169.254'];
};
const names = ['allowed.example', 'rebinding.example'];
const proxy = new EgressProxy(new Egress({ allow: names, deny: [], privateNetworks: false }, resolve), (one) => void unreached.push(one));
const web = createServer((asked, response) => {
  if (asked.url === '/away') response.writeHead(302, { location: 'http://inside.example/' }).end();
  else response.end(JSON.stringify({ url: asked.url, host: asked.headers.host, proxy: asked.headers['proxy-authorization'] ?? null }));
});
const echo = createTcpServer((socket) => socket.pipe(socket));
let port: number;

beforeAll(async () => {
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
  port = (web.address() as AddressInfo).port;
  await proxy.listen(socketPath);
});
afterAll(() => {
  proxy.close();
  web.close();
  echo.close();
  folder[Symbol.dispose]();
});

function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string; location: string | undefined }> {
  return new Promise((done, failed) => {
    request({ socketPath, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => done({ status: response.statusCode ?? 0, text, location: response.headers.location }));
    })
      .on('error', failed)
      .end();
  });
}

function tunnel(path: string): Promise<{ status: number; echoed: string }> {
  return new Promise((done, failed) => {
    const asked = request({ socketPath, method: 'CONNECT', path });
    asked.on('connect', (response, socket) => {
      if (response.statusCode !== 200) return done({ status: response.statusCode ?? 0, echoed: '' });
      socket.once('data', (bytes: Buffer) => {
        socket.destroy();
        done({ status: 200, echoed: bytes.toString() });
      });
      socket.write('through');
    });
    asked.on('error', failed).end();
  });
}

test('a request goes to the judged address under its own name, without what was meant for the proxy', async () => {
  const { status, text } = await get(`http://allowed.example:${port}/a?b=1`, { 'proxy-authorization': 'Basic eDp5' });
  expect([status, JSON.parse(text)]).toEqual([200, { url: '/a?b=1', host: `allowed.example:${port}`, proxy: null }]);
  expect(unreached).toEqual([]);
});

test('a tunnel carries bytes both ways', async () => {
  expect(await tunnel(`allowed.example:${(echo.address() as AddressInfo).port}`)).toEqual({ status: 200, echoed: 'through' });
});

test('what may not be reached gets no answer, and the reason is noted: requests and tunnels, also after a redirect', async () => {
  const { location } = await get(`http://allowed.example:${port}/away`);
  await expect(get(location as string)).rejects.toThrow('socket hang up');
  expect(unreached.at(-1)).toMatchObject({ host: 'inside.example', reason: expect.stringContaining('link-local') });
  await expect(tunnel('inside.example:443')).rejects.toThrow('socket hang up');
  expect(unreached.at(-1)).toMatchObject({ port: 443 });
  await expect(get(`http://127.0.0.1:${port}/`)).rejects.toThrow('socket hang up');
  expect(unreached.at(-1)?.reason).toBe(
    '127.0.0.1 is this machine, which workflows may not reach here: allow it with MILLRACE_EGRESS_ALLOW',
  );
});

test('a name is asked for once: the judged address is the one that is dialled', async () => {
  expect((await get(`http://rebinding.example:${port}/`)).status).toBe(200);
  expect(resolutions).toBe(1);
});

test('what is not a request to pass on gets an answer; a host that is not there gets none', async () => {
  expect((await get('/')).status).toBe(400);
  expect((await get('ftp://allowed.example/')).status).toBe(400);
  expect((await tunnel('nonsense')).status).toBe(400);
  await expect(get('http://allowed.example:1/')).rejects.toThrow('socket hang up');
  expect(unreached.at(-1)).toMatchObject({ port: 1, reason: expect.stringContaining('ECONNREFUSED') });
  await expect(tunnel('allowed.example:2')).rejects.toThrow('socket hang up');
  expect(unreached.at(-1)).toMatchObject({ port: 2 });
});
