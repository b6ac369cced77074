import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Client, clients } from './clients.ts';
import { ConfigurationFile } from './configuration-file.ts';

const cursor = clients.cursor as Client;
const launch = { command: '/opt/node', args: ['/opt/millrace.js'], env: {} };
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-connect-'));
  path = join(folder, 'mcp.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('connecting twice changes nothing and backs nothing up; disconnecting brings the old servers back', () => {
  writeFileSync(path, '{"mcpServers":{"other":{"command":"x"}}}');
  const file = new ConfigurationFile(cursor, path);
  expect(file.connection()).toEqual({ state: 'absent' });
  expect(file.connect(launch)).toMatchObject({ changed: true, backup: expect.stringContaining('.bak') });
  expect(file.connection()).toEqual({ state: 'connected', launch });
  expect(file.connect(launch)).toEqual({ changed: false, backup: undefined });
  expect(readdirSync(folder).filter((name) => name.endsWith('.bak'))).toHaveLength(1);
  expect(file.disconnect().changed).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { other: { command: 'x' } } });
  expect(file.disconnect().changed).toBe(false);
});

test('a file keeps its permissions and a link stays a link; a new file is its owner’s alone', () => {
  const target = join(folder, 'dotfiles.json');
  writeFileSync(target, '{}');
  chmodSync(target, 0o640);
  symlinkSync(target, path);
  new ConfigurationFile(cursor, path).connect(launch);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(statSync(target).mode & 0o777).toBe(0o640);
  const fresh = join(folder, 'deep', 'new', 'mcp.json');
  new ConfigurationFile(cursor, fresh).connect(launch);
  expect(statSync(fresh).mode & 0o777).toBe(0o600);
});

test('a broken configuration is kept and explained', () => {
  writeFileSync(path, '{"mcpServers": {');
  const file = new ConfigurationFile(cursor, path);
  expect(file.connection()).toMatchObject({ state: 'unreadable', reason: expect.stringContaining('not valid JSON') });
  expect(() => file.connect(launch)).toThrow(`${path} was not changed: it is not valid JSON`);
  expect(() => file.disconnect()).toThrow('was not changed');
  expect(readFileSync(path, 'utf8')).toBe('{"mcpServers": {');
  const directory = join(folder, 'folder.json');
  mkdirSync(directory);
  expect(new ConfigurationFile(cursor, directory).connection()).toEqual({ state: 'unreadable', reason: 'it is not a file' });
});

test('a full disk leaves the file as it was, without half a backup', () => {
  writeFileSync(path, '{}');
  const file = new ConfigurationFile(cursor, path);
  symlinkSync('/dev/full', `${path}.${process.pid}.tmp`);
  expect(() => file.connect(launch)).toThrow(
    expect.objectContaining({
      message: `${path} was not changed: the disk is full`,
      fix: { instruction: expect.stringMatching(/^Free some space and try again/) },
    }),
  );
  expect(readFileSync(path, 'utf8')).toBe('{}');
  expect(readdirSync(folder)).toEqual(['mcp.json']);
});

test('disconnecting creates nothing if there is nothing to disconnect', () => {
  expect(new ConfigurationFile(cursor, path).disconnect()).toEqual({ changed: false, backup: undefined });
  expect(readdirSync(folder)).toEqual([]);
});
