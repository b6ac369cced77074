import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';
import { inPseudoTerminal, pseudoTerminals } from '../harness/pseudo-terminal.ts';

const KEY = 'a-key-that-nobody-may-see';
let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
let workspace: string;

beforeEach(() => {
  folder = temporaryFolder();
  env = cleanEnvironment(folder.path);
  workspace = env.MILLRACE_WORKSPACE as string;
  mkdirSync(join(folder.path, 'docs'));
  writeFileSync(join(folder.path, 'docs', 'refunds.md'), '# Refunds\n\nRefunds take 14 days.\n');
  mkdirSync(join(folder.path, '.cursor'));
});
afterEach(() => folder[Symbol.dispose]());

function millrace(...args: string[]) {
  return spawnSync(process.execPath, [LAUNCHER, ...args], { env, cwd: folder.path, encoding: 'utf8' });
}

const read = (...path: string[]) => readFileSync(join(folder.path, ...path), 'utf8');

describe('millrace init', () => {
  test('sets up by flags alone, and a second run loses nothing', () => {
    writeFileSync(join(folder.path, '.cursor', 'mcp.json'), '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } },\n}\n');
    const first = millrace('init', '--yes', '--docs', './docs', '--n8n-url', 'http://127.0.0.1:1', '--n8n-key', KEY);
    expect(first.stdout).toContain('Indexed 1 documents');
    expect(first.stdout).toMatch(/NO +n8n instance/);
    expect(first.stdout).toMatch(/ok +Cursor +connected, and its server starts/);
    expect(first.status, 'what is broken fails the run').toBe(1);
    expect(first.stdout + first.stderr).not.toContain(KEY);
    expect(JSON.parse(readFileSync(join(workspace, 'flowrag.config.json'), 'utf8'))).toEqual({ docs: join(folder.path, 'docs') });
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe(`N8N_API_URL=http://127.0.0.1:1\nN8N_API_KEY=${KEY}\n`);
    for (const name of ['.env', 'flowrag.config.json']) expect(statSync(join(workspace, name)).mode & 0o777, name).toBe(0o600);
    const connected = read('.cursor', 'mcp.json');
    expect(connected).toContain('// mine');
    expect(connected).not.toContain(KEY);
    writeFileSync(join(workspace, 'flowrag.config.json'), JSON.stringify({ docs: './old', schema: { entityTypes: ['PLANET'] } }));
    const second = millrace('init', '--yes', '--docs', 'docs', '--connect', 'none', '--no-index');
    expect(second.stdout).not.toContain('Indexed');
    expect(JSON.parse(readFileSync(join(workspace, 'flowrag.config.json'), 'utf8'))).toEqual({
      docs: join(folder.path, 'docs'),
      schema: { entityTypes: ['PLANET'] },
    });
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toContain(KEY);
    expect(read('.cursor', 'mcp.json')).toBe(connected);
  });

  test('names the variable that is used instead of the folder it was given', () => {
    env.MILLRACE_FLOWRAG_DOCS = join(folder.path, '.cursor');
    const { stderr } = millrace('init', '--yes', '--docs', './docs', '--no-index', '--connect', 'none');
    expect(stderr).toContain(`MILLRACE_FLOWRAG_DOCS is set to another folder, ${env.MILLRACE_FLOWRAG_DOCS}, and is used instead`);
  });

  test('keeps a broken file and explains it, and does the rest', () => {
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(folder.path, '.cursor', 'mcp.json'), '{ "mcpServers": ');
    const { status, stderr, stdout } = millrace('init', '--yes', '--no-index');
    expect(stderr).toMatch(/mcp\.json was not changed: it is not valid JSON/);
    expect(stdout).toMatch(/NO +Cursor +its configuration cannot be read/);
    expect(status).toBe(1);
    expect(read('.cursor', 'mcp.json')).toBe('{ "mcpServers": ');
  });

  test('without a terminal asks for flags', () => {
    const { status, stderr } = millrace('init');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/this is not a terminal\nUse flags instead: .*init --yes/)]);
    expect(existsSync(join(workspace, '.env'))).toBe(false);
  });

  test.skipIf(!pseudoTerminals)('asks one question after the other, and hides keys', async () => {
    const run = await inPseudoTerminal([LAUNCHER, 'init'], env, folder.path, [
      ['Folder: ', 'nowhere\n'],
      ['is not a folder', ''],
      ['Folder: ', 'docs\n'],
      ['Address: ', 'http://127.0.0.1:1\n'],
      ['API key (not shown): ', `${KEY}\n`],
      ['Address: ', '\n'],
      ['Install it now? [y/N] ', '\n'],
      ['Connect Cursor? [Y/n] ', '\n'],
      ['Index the documents now? [Y/n] ', '\n'],
    ]);
    expect(run.shown).not.toContain(KEY);
    expect(run.shown).toContain('Indexed 1 documents');
    expect(run.shown).toMatch(/NO +Flowise address/);
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toContain(`FLOWISE_API_KEY=${KEY}`);
    expect(JSON.parse(read('.cursor', 'mcp.json')).mcpServers.millrace.env.MILLRACE_WORKSPACE).toBe(workspace);
    expect(run.code).toBe(1);
  });

  test.skipIf(!pseudoTerminals)('Ctrl-C in between changes nothing', async () => {
    const run = await inPseudoTerminal([LAUNCHER, 'init'], env, folder.path, [
      ['Folder: ', 'docs\n'],
      ['Address: ', '\x03'],
    ]);
    expect(run.shown).toContain('Stopped; nothing was changed');
    expect(run.code).toBe(1);
    expect(existsSync(join(workspace, 'flowrag.config.json'))).toBe(false);
  });
});

describe('millrace connect', () => {
  test('lists the assistants with their state, connects for a project, and disconnects', () => {
    const state = () =>
      JSON.parse(millrace('connect', '--json').stdout).assistants.find(({ name }: { name: string }) => name === 'cursor').state as string;
    expect(state()).toBe('not connected');
    millrace('connect', 'cursor', '--write');
    expect(state()).toBe('connected');
    millrace('connect', 'cursor', '--write');
    expect(readdirSync(join(folder.path, '.cursor'))).toEqual(['mcp.json']);
    expect(millrace('connect', 'cursor', '--remove').stderr).toContain('Cursor is disconnected');
    expect(state()).toBe('not connected');
    millrace('connect', 'vscode', '--project', '--write');
    expect(Object.keys(JSON.parse(read('.vscode', 'mcp.json')).servers)).toEqual(['millrace']);
    expect(millrace('connect', 'codex', '--project').stderr).toContain('Codex has no configuration for single projects');
    expect(millrace('connect', 'cursr').stderr).toMatch(/Did you mean: .*connect cursor/);
  });

  test('says where settings of the shell belong, and saves them when asked to; never into another program’s file', () => {
    Object.assign(env, { FLOWISE_API_URL: 'http://localhost:3000', FLOWISE_API_KEY: KEY });
    const told = millrace('connect', 'cursor', '--write');
    expect(told.stderr).toContain('Only this shell has');
    expect(told.stderr).toContain(join(workspace, '.env'));
    expect(read('.cursor', 'mcp.json')).not.toContain('FLOWISE');
    expect(millrace('connect', 'cursor', '--save-env').stderr).toContain('Saved in');
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toContain(`FLOWISE_API_KEY=${KEY}`);
    expect(millrace('connect', 'cursor').stderr).not.toContain('Only this shell');
  });
});

describe('millrace doctor', () => {
  test('what is not set up is not a failure; an entry that no longer starts is', () => {
    const healthy = millrace('doctor', '--json');
    expect(healthy.status, healthy.stdout).toBe(0);
    const { checks } = JSON.parse(healthy.stdout) as { checks: { name: string; state: string; ok: boolean; fix?: string }[] };
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'Node',
        'home',
        'storage',
        'server',
        'n8n engine',
        'Flowise',
        'FlowRAG documents',
        'FlowRAG index',
        'language model',
      ]),
    );
    expect(checks.find(({ name }) => name === 'n8n engine')?.fix).toMatch(/^Install it: .*millrace(\.js)? engine add n8n$/);
    writeFileSync(
      join(folder.path, '.cursor', 'mcp.json'),
      JSON.stringify({ mcpServers: { millrace: { command: process.execPath, args: ['/gone/millrace.js'] } } }),
    );
    const broken = millrace('doctor');
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /NO +Cursor +connected, but its server does not start: .*\n +→ Connect it again: .*connect cursor --write/,
    );
  });
});

test('a broken configuration of one toolset is named as such, and hides no other check', () => {
  mkdirSync(join(folder.path, 'workspace'), { recursive: true });
  writeFileSync(join(folder.path, 'workspace/flowrag.config.json'), '{"docs": "./nope"');
  const { status, stdout } = millrace('doctor');
  expect(status).toBe(1);
  expect(stdout).toMatch(/NO +configuration \(flowrag\).*flowrag\.config\.json is not valid JSON/);
  expect(stdout).toMatch(/ok +storage/);
  expect(stdout).toContain('n8n engine');
});

test.skipIf(!pseudoTerminals)('serve on a terminal shows the token that every request needs', async () => {
  const run = await inPseudoTerminal([LAUNCHER, 'serve', '--port', '0', '--toolsets', 'todo'], env, folder.path, [
    ['Stop with Ctrl-C.', '\x03'],
  ]);
  expect(run.shown).toContain(`Your token: ${read('home', 'token').trim()}`);
  expect(run.code).toBe(0);
});

test.skipIf(!pseudoTerminals)('the bare command on a terminal says what it is and what to type', async () => {
  const run = await inPseudoTerminal([LAUNCHER, '--toolsets', 'todo'], env, folder.path, [['--help', '\x03']]);
  expect(run.shown).toMatch(/This is the Millrace MCP server.*\r?\n.*millrace(\.js)? init/);
});

describe('the first start', () => {
  test.skipIf(!pseudoTerminals)('asks before it installs n8n, remembers a no, and ends with Ctrl-C', async () => {
    const serve = [LAUNCHER, 'serve', '--welcome', '--port', '0', '--toolsets', 'n8n'];
    const first = await inPseudoTerminal(serve, env, folder.path, [
      ['Sustainable Use License', ''],
      ['Install it now? [Y/n] ', 'n\n'],
      ['engine add n8n', '\x03'],
    ]);
    expect(first.code).toBe(0);
    const second = await inPseudoTerminal(serve, env, folder.path, [['Stop with Ctrl-C.', '\x03']]);
    expect(second.shown).not.toContain('Install it now?');
  });

  test.skipIf(!pseudoTerminals)('Ctrl-C at the question ends the server', async () => {
    const serve = [LAUNCHER, 'serve', '--welcome', '--port', '0', '--toolsets', 'n8n'];
    expect((await inPseudoTerminal(serve, env, folder.path, [['Install it now?', '\x03']])).code).toBe(0);
  });

  test.skipIf(!pseudoTerminals)('--no-engine does not ask', async () => {
    const serve = [LAUNCHER, 'serve', '--welcome', '--no-engine', '--port', '0', '--toolsets', 'n8n'];
    const { shown } = await inPseudoTerminal(serve, env, folder.path, [['Stop with Ctrl-C.', '\x03']]);
    expect(shown).not.toContain('Install it now?');
  });
});
