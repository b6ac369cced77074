import { join } from 'node:path';
import type { Environment } from '../config/load.ts';

/** How to start the server from anywhere: desktop clients run in `/` with a bare PATH, so every path is absolute. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface ClientPlace {
  platform: NodeJS.Platform;
  home: string;
  /** Where the platform keeps the settings of programs (%APPDATA%, ~/Library/Application Support, ~/.config). */
  appData: string;
  environment: Environment;
}

export interface Client {
  title: string;
  /** The configuration of this user. */
  file(place: ClientPlace): string;
  /** The configuration of a project, relative to its folder, where the client reads one. */
  projectFile?: string;
  format: 'json' | 'toml' | 'yaml';
  /** The key that holds the servers. */
  key: string;
  entry(launch: Launch): Record<string, unknown>;
  /** What to do after the file has been written. */
  after: string;
}

const plain = (launch: Launch) => ({ ...launch });
const typed = (launch: Launch) => ({ type: 'stdio', ...launch });

/** Formats and paths are taken from each client's documentation or source. */
export const clients: Record<string, Client> = {
  claude: {
    title: 'Claude Desktop',
    file: ({ appData }) => join(appData, 'Claude', 'claude_desktop_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Quit Claude Desktop and open it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: ({ home }) => join(home, '.claude.json'),
    projectFile: '.mcp.json',
    format: 'json',
    key: 'mcpServers',
    entry: typed,
    after: 'Start a new session; /mcp lists the server.',
  },
  cursor: {
    title: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Cursor picks it up under Settings, MCP.',
  },
  vscode: {
    title: 'VS Code',
    file: ({ appData }) => join(appData, 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    format: 'json',
    key: 'servers',
    entry: typed,
    after: 'Run "MCP: List Servers" in VS Code and start millrace.',
  },
  codex: {
    title: 'Codex',
    file: ({ home }) => join(home, '.codex', 'config.toml'),
    format: 'toml',
    key: 'mcp_servers',
    entry: plain,
    after: 'Start Codex again.',
  },
  kiro: {
    title: 'Kiro',
    file: ({ home }) => join(home, '.kiro', 'settings', 'mcp.json'),
    projectFile: join('.kiro', 'settings', 'mcp.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Kiro picks it up under MCP Servers.',
  },
  windsurf: {
    title: 'Windsurf',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Refresh the servers in the Cascade panel, or restart Windsurf.',
  },
  zed: {
    title: 'Zed',
    file: ({ platform, home, appData, environment }) =>
      platform === 'win32' ? join(appData, 'Zed', 'settings.json') : join(configFolder(home, environment), 'zed', 'settings.json'),
    format: 'json',
    key: 'context_servers',
    entry: (launch) => ({ source: 'custom', ...launch }),
    after: 'Zed starts it when the file is saved; the Agent Panel shows its state.',
  },
  cline: {
    title: 'Cline',
    file: ({ home, environment: { CLINE_MCP_SETTINGS_PATH: path, CLINE_DATA_DIR: data } }) =>
      path || join(data || join(home, '.cline', 'data'), 'settings', 'cline_mcp_settings.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Cline picks it up under MCP Servers.',
  },
  gemini: {
    title: 'Gemini CLI',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Start Gemini CLI again; /mcp lists the server.',
  },
  goose: {
    title: 'Goose',
    file: ({ platform, home, appData, environment }) =>
      platform === 'win32'
        ? join(appData, 'Block', 'goose', 'config', 'config.yaml')
        : join(configFolder(home, environment), 'goose', 'config.yaml'),
    format: 'yaml',
    key: 'extensions',
    entry: ({ command, args, env }) => ({
      enabled: true,
      type: 'stdio',
      name: 'millrace',
      description: 'Workflows, documents and todos through Millrace',
      cmd: command,
      args,
      envs: env,
      timeout: 300,
    }),
    after: 'Start Goose again.',
  },
  lmstudio: {
    title: 'LM Studio',
    file: ({ home }) => join(home, '.lmstudio', 'mcp.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Switch it on in LM Studio under Program, Integrations.',
  },
  junie: {
    title: 'JetBrains Junie',
    file: ({ home }) => join(home, '.junie', 'mcp', 'mcp.json'),
    projectFile: join('.junie', 'mcp', 'mcp.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Junie picks it up under Settings, Tools, Junie, MCP Settings.',
  },
};

/** How an entry starts its server; undefined for a server that is reached over HTTP. */
export function launchIn(entry: Record<string, unknown>): Launch | undefined {
  const command = entry.command ?? entry.cmd;
  if (typeof command !== 'string') return undefined;
  const args = Array.isArray(entry.args) ? entry.args.map(String) : [];
  const env = Object.entries((entry.env ?? entry.envs ?? {}) as Record<string, unknown>).map(([key, value]) => [key, String(value)]);
  return { command, args, env: Object.fromEntries(env) };
}

export function appDataOf(platform: NodeJS.Platform, home: string, environment: Environment): string {
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return configFolder(home, environment);
}

function configFolder(home: string, environment: Environment): string {
  return environment.XDG_CONFIG_HOME || join(home, '.config');
}
