import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { appDataOf, type Client, clients, launchIn } from './clients.ts';
import { json } from './json.ts';
import { toml } from './toml.ts';
import { yaml } from './yaml.ts';

const launch = { command: '/opt/node', args: ['/opt/millrace/bin/millrace.js'], env: { MILLRACE_HOME: '/home/me/.millrace' } };
const claude = clients.claude as Client;
const codex = clients.codex as Client;
const goose = clients.goose as Client;

describe('a JSON configuration', () => {
  test('keeps everything else', () => {
    const before = '{\n    "theme": "dark",\n    "mcpServers": {"other": {"command": "x"}, "millrace": {"command": "old"}}\n}';
    const after = json.withEntry(before, claude, launch);
    expect(JSON.parse(after)).toEqual({ theme: 'dark', mcpServers: { other: { command: 'x' }, millrace: launch } });
    expect(after).toContain('\n    "theme"');
    expect(json.withEntry(after, claude, launch)).toBe(after);
  });

  test('is made when it is missing or empty', () => {
    expect(JSON.parse(json.withEntry('', claude, launch))).toEqual({ mcpServers: { millrace: launch } });
    expect(json.withEntry(' \n', claude, launch)).toMatch(/\}\n$/);
  });

  test('with an empty section is filled; with two of them it is refused', () => {
    expect(JSON.parse(json.withEntry('{"mcpServers": null, "a": 1}', claude, launch))).toEqual({ mcpServers: { millrace: launch }, a: 1 });
    expect(json.withoutEntry('{"mcpServers": null}', claude)).toBe('{"mcpServers": null}');
    expect(() => json.withEntry('{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', claude, launch)).toThrow(
      '"mcpServers" stands in it twice',
    );
    expect(parseYaml(yaml.withEntry('theme: dark\nextensions:\n', goose, goose.entry(launch)))).toMatchObject({
      theme: 'dark',
      extensions: { millrace: {} },
    });
    expect(yaml.withoutEntry('extensions:\n', goose)).toBe('extensions:\n');
    const commented = yaml.withEntry('a: 1\nextensions:   # my extensions\n  # none yet\nb: 2\n', goose, goose.entry(launch));
    expect(commented).toMatch(/^a: 1\nextensions:\s+# my extensions\n.*# none yet\n.*millrace:.*\nb: 2\n$/s);
  });

  test('with comments, trailing commas, tabs and a mark keeps them', () => {
    const before = '\uFEFF{\n\t// my servers\n\t"mcpServers": {\n\t\t"other": { "command": "x" }, // mine\n\t},\n}\n';
    const after = json.withEntry(before, claude, launch);
    expect(after).toContain('// my servers');
    expect(after).toContain('// mine');
    expect(after).toContain('\n\t\t"millrace": {');
    expect(after.startsWith('\uFEFF')).toBe(true);
    expect(parse(after.slice(1))).toEqual({ mcpServers: { other: { command: 'x' }, millrace: launch } });
    const removed = json.withoutEntry(after, claude);
    expect(removed).toContain('// my servers');
    expect(json.entryIn(removed, claude)).toBeUndefined();
  });

  test('keeps what people added to our entry, and replaces one that was reached over HTTP', () => {
    const added = JSON.stringify({
      mcpServers: { millrace: { command: 'old', disabled: true, env: { MINE: '1', MILLRACE_HOME: '/old' } } },
    });
    expect(json.entryIn(json.withEntry(added, claude, launch), claude)).toEqual({
      ...launch,
      disabled: true,
      env: { MINE: '1', MILLRACE_HOME: '/home/me/.millrace' },
    });
    const http = JSON.stringify({ mcpServers: { millrace: { type: 'http', url: 'http://x/mcp' } } });
    expect(json.entryIn(json.withEntry(http, claude, launch), claude)).toEqual(launch);
  });

  test('that is broken is refused, with the line', () => {
    expect(() => json.withEntry('{\n  "mcpServers": {\n', claude, launch)).toThrow(
      'it is not valid JSON (a closing brace is missing in line 3)',
    );
    expect(() => json.entryIn('[]', claude)).toThrow('does not hold an object');
    expect(() => json.entryIn('{"mcpServers": []}', claude)).toThrow('"mcpServers" in it is not an object');
  });
});

describe('a TOML configuration', () => {
  const before =
    'model = "x"\n\n[mcp_servers.millrace]\ncommand = "old"\nstartup_timeout_sec = 20\n\n[mcp_servers.millrace.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "y"\n';

  test('has our section replaced, additions to it kept, and other sections untouched', () => {
    const after = toml.withEntry(before, codex, launch);
    expect(after).toMatch(/^model = "x"\n\n\[mcp_servers\.other\]\ncommand = "y"\n\n\[mcp_servers\.millrace\]\n/);
    expect(toml.entryIn(after, codex)).toEqual({ ...launch, startup_timeout_sec: 20, env: { A: '1', ...launch.env } });
    expect(toml.withEntry(after, codex, launch)).toBe(after);
    expect(toml.withoutEntry(after, codex)).toBe('model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n');
  });

  test('that has no section of ours gets one at its end', () => {
    expect(toml.entryIn('model = "x"\n', codex)).toBeUndefined();
    const commented = `# mine\n[mcp_servers.millrace]\n# old\ncommand = "x"\n\n# --- my work profile ---\n[profiles.work]\na = 1\n`;
    for (const changed of [toml.withEntry(commented, codex, launch), toml.withoutEntry(commented, codex)])
      expect(changed).toMatch(/# mine\n# old\n# --- my work profile ---\n\[profiles.work\]\na = 1\n/);
    expect(toml.withEntry('', codex, launch)).toBe(`${toml.snippet(codex, launch)}\n`);
    expect(toml.withoutEntry('model = "x"\n', codex)).toBe('model = "x"\n');
  });

  test('other spellings of our section are replaced, and what cannot be edited safely is left alone', () => {
    for (const header of ['[mcp_servers."millrace"]', '[ mcp_servers . millrace ]', "[mcp_servers.'millrace']"]) {
      const after = toml.withEntry(`${header}\ncommand = "old"\n\n[other]\na = 1\n`, codex, launch);
      expect(toml.entryIn(after, codex), header).toEqual(launch);
      expect(after).not.toContain('old');
      expect(toml.withoutEntry(after, codex)).toBe('[other]\na = 1\n');
    }
    const unsafe = [
      'mcp_servers.millrace = { command = "old" }\n',
      '[mcp_servers]\nmillrace = { command = "old" }\n',
      '[mcp_servers]\nmillrace.command = "old"\n',
    ];
    for (const text of unsafe) {
      expect(toml.entryIn(text, codex), text).toEqual({ command: 'old' });
      expect(() => toml.withEntry(text, codex, launch), text).toThrow('cannot be edited safely');
      expect(() => toml.withoutEntry(text, codex), text).toThrow('cannot be edited safely');
    }
    const quoted = 'about = """\n[mcp_servers.millrace]\nis only text\n"""\n';
    expect(() => toml.withEntry(quoted, codex, launch)).toThrow('cannot be edited safely');
    expect(() => toml.withEntry('a = [1, 2\n', codex, launch)).toThrow('it is not valid TOML');
  });
});

describe('a YAML configuration', () => {
  test('keeps everything else, with its comments', () => {
    const before = '# mine\nGOOSE_MODEL: gpt\nextensions:\n  developer: # built in\n    enabled: true\n';
    const after = yaml.withEntry(before, goose, goose.entry(launch));
    expect(after).toContain('# mine');
    expect(after).toContain('# built in');
    expect(parseYaml(after)).toEqual({ GOOSE_MODEL: 'gpt', extensions: { developer: { enabled: true }, millrace: goose.entry(launch) } });
    expect(yaml.withEntry(after, goose, goose.entry(launch))).toBe(after);
    expect(parseYaml(yaml.withoutEntry(after, goose))).toEqual({ GOOSE_MODEL: 'gpt', extensions: { developer: { enabled: true } } });
    expect(yaml.withoutEntry(before, goose)).toBe(before);
  });

  test('is made when it is missing, and refused when it is broken', () => {
    expect(parseYaml(yaml.withEntry('', goose, goose.entry(launch)))).toEqual({ extensions: { millrace: goose.entry(launch) } });
    expect(() => yaml.entryIn('a: [', goose)).toThrow('it is not valid YAML');
    expect(() => yaml.entryIn('- a\n', goose)).toThrow('does not hold a map');
    expect(() => yaml.entryIn('extensions: 3\n', goose)).toThrow('"extensions" in it is not a map');
  });
});

test('every assistant’s entry names the command of its server', () => {
  for (const [name, client] of Object.entries(clients)) expect(launchIn(client.entry(launch)), name).toEqual(launch);
  expect(launchIn({ url: 'http://localhost:4747/mcp' })).toBeUndefined();
});

test('settings are in the usual place of each platform', () => {
  expect(appDataOf('linux', '/home/me', {})).toBe('/home/me/.config');
  expect(appDataOf('darwin', '/Users/me', {})).toBe('/Users/me/Library/Application Support');
  expect(appDataOf('win32', '/u', { APPDATA: '/roaming' })).toBe('/roaming');
  const place = { platform: 'darwin', home: '/Users/me', appData: '/Users/me/Library/Application Support', environment: {} } as const;
  expect(clients.zed?.file(place)).toBe('/Users/me/.config/zed/settings.json');
  expect(clients.goose?.file({ ...place, platform: 'win32', appData: '/roaming' })).toBe('/roaming/Block/goose/config/config.yaml');
  expect(clients.cline?.file({ ...place, environment: { CLINE_DATA_DIR: '/data' } })).toBe('/data/settings/cline_mcp_settings.json');
});
