import { join } from 'node:path';

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
}

export interface Client {
  title: string;
  file(place: ClientPlace): string;
  format: 'json' | 'toml';
  /** The key that holds the servers in a JSON file. */
  key: string;
  entry(launch: Launch): Record<string, unknown>;
  /** What to do after the file has been written. */
  after: string;
}

const plain = (launch: Launch) => ({ ...launch });
const typed = (launch: Launch) => ({ type: 'stdio', ...launch });

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
    format: 'json',
    key: 'mcpServers',
    entry: typed,
    after: 'Start a new session; /mcp lists the server.',
  },
  cursor: {
    title: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Cursor picks it up under Settings, MCP.',
  },
  vscode: {
    title: 'VS Code',
    file: ({ appData }) => join(appData, 'Code', 'User', 'mcp.json'),
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
    format: 'json',
    key: 'mcpServers',
    entry: plain,
    after: 'Kiro picks it up under MCP Servers.',
  },
};

export function appDataOf(platform: NodeJS.Platform, home: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME ?? join(home, '.config');
}
