import type { ServerCommand } from './server-command.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;

/** With no words at all, a server for the assistant that started the process. */
export const stdioCommand: ServerCommand = {
  name: '',
  summary: 'Serve one assistant over stdin and stdout',
  usage: '',
  options: {},
  load: () => import('./commands/stdio.ts'),
};

export const commands: readonly ServerCommand[] = [
  stdioCommand,
  {
    name: 'serve',
    summary: 'Serve over HTTP: MCP at /mcp, REST at /mcp/tools and /mcp/execute',
    usage: '[--port <port>] [--host <address>]',
    options: { welcome: { type: 'boolean', description: 'Print the token and how to connect' } },
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'chat',
    summary: 'Talk, and it calls the tools; without a language model it keeps your todos',
    usage: '[-m <text>] [--conversation <id>] [--json]',
    options: {
      message: { type: 'string', short: 'm', description: 'Answer this and exit; - reads it from stdin' },
      conversation: { type: 'string', description: 'Go on with this conversation' },
      retry: { type: 'boolean', description: 'Try the last message of the conversation again and exit' },
      json: { type: 'boolean', description: 'Print {conversation, reply, tool_calls} as JSON' },
    },
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'user add',
    summary: 'Add a user and print their token, which is shown only once',
    usage: '<name> [--level <level>]',
    options: { level: { type: 'string', description: 'beginner, intermediate or advanced' } },
    load: async () => ({ run: (await import('./commands/user.ts')).addUser }),
  },
  {
    name: 'user list',
    summary: 'List the users',
    usage: '[--json]',
    options: { json },
    load: async () => ({ run: (await import('./commands/user.ts')).listUsers }),
  },
  {
    name: 'user level',
    summary: 'Give a user a level: beginner, intermediate or advanced',
    usage: '<name> <level>',
    options: {},
    load: async () => ({ run: (await import('./commands/user.ts')).setUserLevel }),
  },
  {
    name: 'user revoke',
    summary: "Make a user's token useless; what they made stays",
    usage: '<name>',
    options: {},
    load: async () => ({ run: (await import('./commands/user.ts')).revokeUser }),
  },
  {
    name: 'audit',
    summary: 'Show what was called, newest first',
    usage: '[--user <id>] [--tool <name>] [--status success|failure] [--since <time>] [--follow] [--json]',
    options: {
      user: { type: 'string', description: 'Only calls of this user (id or name)' },
      tool: { type: 'string', description: 'Only calls of this tool' },
      status: { type: 'string', description: 'success or failure' },
      since: { type: 'string', description: 'A time (2026-11-15T10:00), or how long ago: 15m, 2h, 7d' },
      limit: { type: 'string', description: 'At most so many rows (default 50)' },
      follow: { type: 'boolean', short: 'f', description: 'Go on and show new calls as they come' },
      json: { type: 'boolean', description: 'One JSON object a line, with parameters and results' },
    },
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'connect',
    summary: 'Show how to connect an assistant: claude, claude-code, cursor, vscode, codex, kiro',
    usage: '<client> [--write]',
    options: { write: { type: 'boolean', description: "Write it into the client's configuration, after a backup" } },
    load: () => import('./commands/connect.ts'),
  },
  {
    name: 'engine add',
    summary: 'Install an engine: n8n (to check and run workflows without a server) or flowise (a local Flowise, started at once)',
    usage: '<n8n|flowise>',
    options: {
      'engine-port': {
        type: 'string',
        description: 'The port of Flowise; by default the one it had before, at first 3000 or the next free one',
      },
    },
    load: async () => ({ run: (await import('./commands/engine.ts')).addEngine }),
  },
  {
    name: 'engine list',
    summary: 'Say which engines are installed, where, and whether Flowise runs',
    usage: '[--json]',
    options: { json },
    load: async () => ({ run: (await import('./commands/engine.ts')).listEngines }),
  },
  {
    name: 'doctor',
    summary: 'Say what works, what does not, and the command that mends it',
    usage: '[--json]',
    options: { json },
    load: () => import('./commands/doctor.ts'),
  },
];
