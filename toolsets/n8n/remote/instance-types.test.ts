import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, SqliteStore } from '@millrace/storage';
import { expect, onTestFinished, test } from 'vitest';
import type { RunTables } from '../engine/run-history.ts';
import { openPack } from '../services.ts';
import { n8nSettings } from '../settings.ts';

const described = (name: string, more: object = {}) => ({
  name,
  displayName: name,
  description: 'Switches a lamp',
  group: ['output'],
  version: 1,
  defaults: { name: 'Lamp' },
  inputs: ['main'],
  outputs: ['main'],
  properties: [
    { name: 'on', type: 'options', default: 'yes', options: [{ value: 'yes' }, { value: 'no' }] },
    { name: 'colour', displayName: 'Colour', type: 'string', default: '', required: true, displayOptions: { show: { on: ['yes'] } } },
  ],
  ...more,
});

const types = [
  described('lamps.lamp', { usableAsTool: true }),
  described('lamps.lampTool', { inputs: [], outputs: ['ai_tool'] }),
  described('lamps.switchTrigger', { group: ['trigger'], inputs: [] }),
];

async function instance(password = 'right') {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    calls.push(`${request.method} ${request.url}`);
    const signedIn = request.url === '/rest/login' ? JSON.parse(body).password === password : request.headers.cookie === 'n8n-auth=yes';
    if (!signedIn) return void response.writeHead(401).end('{}');
    if (request.url === '/rest/login') return void response.writeHead(200, { 'set-cookie': 'n8n-auth=yes; HttpOnly' }).end('{}');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(types));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

function packOf(url: string, password: string, home = mkdtempSync(join(tmpdir(), 'millrace-home-'))) {
  const silent = () => {};
  const pack = openPack({
    home,
    settings: n8nSettings.schema.parse({ apiUrl: url, apiKey: 'key', email: 'owner@example.com', password }),
    store: new SqliteStore<RunTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' })),
    clock: { now: () => new Date() },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  onTestFinished(async () => {
    await pack.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { pack, home };
}

test("where no pack is installed, an instance's nodes are searched and checked", async () => {
  const { url, calls } = await instance();
  const { pack, home } = packOf(url, 'right');
  const found = await pack.search.find({ keyword: 'lamp', limit: 10, offset: 0 });
  expect(found.nodes.map(({ id }) => id).sort()).toEqual(['lamps.lamp', 'lamps.lampTool', 'lamps.switchTrigger']);
  const workflow = {
    nodes: [
      { name: 'Switch', type: 'lamps.switchTrigger', typeVersion: 1, position: [0, 0] as [number, number], parameters: { colour: 'red' } },
      { name: 'Lamp', type: 'lamps.lamp', typeVersion: 1, position: [0, 0] as [number, number], parameters: { on: 'maybe', size: 1 } },
      { name: 'Other', type: 'lamps.lamp', typeVersion: 1, position: [0, 0] as [number, number], parameters: {} },
    ],
    connections: {
      Switch: { main: [[{ node: 'Lamp', type: 'main', index: 0 }]] },
      Lamp: { main: [[{ node: 'Other', type: 'main', index: 0 }]] },
    },
  };
  const { errors } = await pack.validator.validate(workflow);
  expect(errors.map(({ code, node }) => [code, node])).toEqual([
    ['invalid_option', 'Lamp'],
    ['unknown_parameter', 'Lamp'],
    ['required_parameter', 'Other'],
  ]);
  expect(pack.catalogue.defaultParameters('lamps.lamp', 1, { on: 'no' })).toEqual({ on: 'no' });
  expect(calls).toEqual(['POST /rest/login', 'GET /types/nodes.json']);
  await packOf(url, 'right', home).pack.search.find({ limit: 1, offset: 0 });
  expect(calls, 'the catalogue of today is kept').toHaveLength(2);
});

test('an instance that does not let us in is reported', async () => {
  const { url } = await instance();
  await expect(packOf(url, 'wrong').pack.search.find({ limit: 1, offset: 0 })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('N8N_EMAIL'),
  });
});
