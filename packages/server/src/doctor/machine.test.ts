import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configure } from '../configuration.ts';
import { noteServer } from '../running-servers.ts';
import { folderCheck, modelCheck, serverCheck } from './machine.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('tells our running server from another program, and from none', async () => {
  const ours = await listening(
    createServer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Bearer realm="millrace"' }).end()),
  );
  const home = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const at = (port: number) =>
    serverCheck(configure({ flags: { port: String(port) }, home, config: undefined, environment: {}, workingDirectory: home }));
  expect(await at(ours)).toMatchObject({ state: 'ok', detail: `running at http://127.0.0.1:${ours}, with another home` });
  const other = await listening(createServer((_request, response) => response.end('hello')));
  expect(await at(other)).toMatchObject({ state: 'optional', fix: { command: expect.stringMatching(/^serve --port \d+$/) } });
  expect(await at(0)).toMatchObject({ state: 'optional', fix: { command: 'serve' } });
  const forget = noteServer(home, `http://127.0.0.1:${ours}`);
  expect(await at(0)).toMatchObject({ state: 'ok', detail: `running at http://127.0.0.1:${ours}` });
  forget();
  noteServer(home, 'http://127.0.0.1:9');
  expect(await at(0)).toMatchObject({ state: 'optional' });
});

test('a home that is a file is broken', async () => {
  const configuration = configure({
    flags: { port: '0' },
    home: import.meta.filename,
    config: undefined,
    environment: {},
    workingDirectory: '/',
  });
  expect(await serverCheck(configuration)).toMatchObject({ state: 'optional' });
  expect(folderCheck('home', import.meta.filename, 'MILLRACE_HOME')).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('is not a folder'),
  });
});

test('a disk with no room left is broken; one that does not say is not', () => {
  const home = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const withRoom = (blocks: number, bavail: number) => folderCheck('home', home, 'MILLRACE_HOME', () => ({ blocks, bavail, bsize: 4096 }));
  expect(withRoom(1_000_000, 256)).toMatchObject({ state: 'broken', detail: `${home}: the disk is almost full (1 MB left)` });
  expect(withRoom(0, 0)).toMatchObject({ state: 'ok' });
  expect(withRoom(1_000_000, 500_000)).toMatchObject({ state: 'ok' });
});

test('a folder that cannot be created is broken', () => {
  expect(folderCheck('home', '/dev/null/home', 'MILLRACE_HOME')).toMatchObject({
    state: 'broken',
    fix: { instruction: expect.stringContaining('MILLRACE_HOME') },
  });
});

test('a language model is optional, and broken without its key', () => {
  const check = (environment: Record<string, string>) =>
    modelCheck(configure({ flags: {}, home: join(tmpdir(), 'none'), config: undefined, environment, workingDirectory: tmpdir() }));
  expect(check({})).toMatchObject({ state: 'optional' });
  expect(check({ MILLRACE_MODEL_PROVIDER: 'openai', MILLRACE_MODEL_URL: 'localhost:11434' })).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('http://'),
  });
  expect(check({ MILLRACE_MODEL_PROVIDER: 'anthropic' })).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
  expect(check({ MILLRACE_MODEL_PROVIDER: 'anthropic', ANTHROPIC_API_KEY: 'x' })).toMatchObject({ state: 'ok' });
});
