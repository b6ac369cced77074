import { describe, expect, test } from 'vitest';
import { appDataOf, type Client, clients } from './clients.ts';
import { snippet, withEntry } from './entry.ts';

const launch = { command: '/opt/node', args: ['/opt/millrace/bin/millrace.js'], env: { MILLRACE_HOME: '/home/me/.millrace' } };
const claude = clients.claude as Client;
const codex = clients.codex as Client;

describe('a JSON configuration', () => {
  test('keeps everything else', () => {
    const before = '{\n    "theme": "dark",\n    "mcpServers": {"other": {"command": "x"}, "millrace": {"command": "old"}}\n}';
    const after = withEntry(before, claude, launch, 'config.json');
    expect(JSON.parse(after)).toEqual({ theme: 'dark', mcpServers: { other: { command: 'x' }, millrace: launch } });
    expect(after).toContain('\n    "theme"');
  });

  test('is made when it is missing or empty', () => {
    expect(JSON.parse(withEntry(undefined, claude, launch, 'x'))).toEqual({ mcpServers: { millrace: launch } });
    expect(JSON.parse(withEntry('', clients.vscode as Client, launch, 'x'))).toEqual({
      servers: { millrace: { type: 'stdio', ...launch } },
    });
  });

  test('with comments is left alone', () => {
    expect(() => withEntry('{ // mine\n}', claude, launch, 'mcp.json')).toThrow('mcp.json is not plain JSON');
    expect(() => withEntry('[]', claude, launch, 'mcp.json')).toThrow('does not hold an object');
  });
});

describe('a TOML configuration', () => {
  test('has our section replaced and the others kept', () => {
    const before =
      'model = "x"\n\n[mcp_servers.millrace]\ncommand = "old"\n\n[mcp_servers.millrace.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "y"\n';
    const after = withEntry(before, codex, launch, 'config.toml');
    expect(after).toBe(`model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n\n${snippet(codex, launch)}\n`);
    expect(after).toContain('command = "/opt/node"');
    expect(withEntry(after, codex, launch, 'config.toml')).toBe(after);
  });
});

test('the settings of programs are where each platform keeps them', () => {
  expect(appDataOf('linux', '/home/me', {})).toBe('/home/me/.config');
  expect(appDataOf('darwin', '/Users/me', {})).toBe('/Users/me/Library/Application Support');
  expect(appDataOf('win32', '/u', { APPDATA: '/roaming' })).toBe('/roaming');
});
