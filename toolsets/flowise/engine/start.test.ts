import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLOWISE_VERSION, installFlowise } from './install.ts';
import { startFlowise } from './start.ts';

/** A program in the place of Flowise: it has one account, keeps keys in its folder and answers as Flowise does. */
const STAND_IN = `
const { createServer } = require('node:http');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.DATABASE_PATH + '/stand-in.json';
const state = existsSync(file) ? JSON.parse(readFileSync(file)) : { keys: [] };
const save = () => writeFileSync(file, JSON.stringify(state));
createServer(async (request, response) => {
  let text = ''; for await (const chunk of request) text += chunk;
  const body = text ? JSON.parse(text) : {};
  const send = (status, value, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const path = request.url.split('?')[0].replace('/api/v1', '');
  if (path === '/ping') return response.end('pong');
  if (path === '/account/register') { if (state.user) return send(400, {}); state.user = body.user; save(); return send(201, {}); }
  if (path === '/auth/login') return body.password === state.user.credential ? send(200, {}, { 'set-cookie': ['token=t; Path=/', 'connect.sid=s'] }) : send(401, {});
  if (path === '/apikey') { if (request.headers.cookie !== 'token=t; connect.sid=s' || !body.permissions) return send(412, {}); state.keys.push({ keyName: body.keyName, apiKey: 'key-' + state.keys.length }); save(); return send(200, state.keys); }
  if (path === '/chatflows') return send(state.keys.some((key) => request.headers.authorization === 'Bearer ' + key.apiKey) ? 200 : 401, []);
  send(200, process.env);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-engine-'));
  await mkdir(join(folder, 'flowise', 'bin'), { recursive: true });
  await writeFile(join(folder, 'flowise', 'bin', 'run'), STAND_IN);
  await mkdir(join(folder, 'broken', 'bin'), { recursive: true });
  await writeFile(join(folder, 'broken', 'bin', 'run'), 'process.exit(3)');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('startFlowise', () => {
  const options = () => ({
    install: { version: FLOWISE_VERSION, directory: join(folder, 'flowise') },
    data: join(folder, 'data'),
    signal: new AbortController().signal,
    environment: { PATH: '/usr/bin:/bin', HOME: folder, FLOWISE_API_KEY: 'not-for-flowise', DATABASE_URL: 'postgres://secret' },
  });

  test('starts on loopback with an account and a key, which it finds again', async () => {
    const first = await startFlowise(options());
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.apiKey).toBe('key-0');
    const environment = (await (await fetch(`${first.url}/anything`)).json()) as Record<string, string>;
    expect(environment).toMatchObject({ HOST: '127.0.0.1', DISABLE_FLOWISE_TELEMETRY: 'true', HOME: folder });
    expect(environment).not.toHaveProperty('FLOWISE_API_KEY');
    expect(environment).not.toHaveProperty('DATABASE_URL');
    await first.stop();
    const again = await startFlowise(options());
    expect(again).toMatchObject({ apiKey: 'key-0', account: first.account });
    await again.stop();
    await expect(fetch(`${again.url}/api/v1/ping`)).rejects.toThrow();
    const secrets = join(folder, 'data', 'millrace.json');
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(secrets, 'utf8'))).toHaveProperty('password');
  });

  test('says when it ends at once, and stops when it is told to', async () => {
    const broken = { ...options(), install: { version: FLOWISE_VERSION, directory: join(folder, 'broken') } };
    await expect(startFlowise(broken)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('exit code 3') });
    await expect(startFlowise({ ...options(), signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('installFlowise', () => {
  test('leaves an installation as it is', async () => {
    const home = join(folder, 'installed');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'installed.json'), JSON.stringify({ version: FLOWISE_VERSION, node: process.versions.modules }));
    const progress: string[] = [];
    const install = await installFlowise({
      home,
      signal: new AbortController().signal,
      environment: {},
      progress: (_step, _steps, message) => void progress.push(message),
    });
    expect(install).toEqual({ version: FLOWISE_VERSION, directory: join(home, 'app', 'node_modules', 'flowise') });
    expect(progress).toEqual([]);
  });

  test('says what failed, and what is needed', async () => {
    const home = join(folder, 'without-npm');
    const install = installFlowise({ home, signal: new AbortController().signal, environment: { PATH: folder }, progress() {} });
    await expect(install).rejects.toMatchObject({ code: 'unavailable', fix: { instruction: expect.stringContaining('npm') } });
  });
});
