import type { ServerCommand } from './server-command.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;

/** Without any words: a server for the assistant that started the process. */
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
    name: 'init',
    summary: 'Set everything up, step by step: documents, Flowise, n8n, assistants',
    usage: '[--yes] [--docs <folder>] [--connect <names>]',
    options: {
      yes: {
        type: 'boolean',
        short: 'y',
        description: 'Ask nothing: use the flags, leave everything else as is, connect every assistant found',
      },
      docs: { type: 'string', description: 'Folder of documents to search' },
      'flowise-url': { type: 'string', description: 'Address of Flowise' },
      'flowise-key': { type: 'string', description: 'API key of Flowise' },
      'n8n-url': { type: 'string', description: 'Address of n8n' },
      'n8n-key': { type: 'string', description: 'API key of n8n' },
      engine: { type: 'boolean', description: 'Install the n8n engine, under its own licence; --no-engine skips the question' },
      index: { type: 'boolean', description: 'Index the documents; --no-index leaves that for later' },
      connect: { type: 'string', description: 'Assistants to connect: all, none, or names separated by commas' },
    },
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'serve',
    summary: 'Serve over HTTP: MCP at /mcp, REST at /mcp/tools and /mcp/execute',
    usage: '[--port <port>] [--host <address>]',
    options: {
      welcome: { type: 'boolean', description: 'Print the token and how to connect, and offer the n8n engine' },
      engine: { type: 'boolean', description: 'With --welcome: install the n8n engine without asking; --no-engine skips it' },
    },
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'chat',
    summary: 'Chat with the tools; without a language model it manages your todos',
    usage: '[-m <text>] [--conversation <id>] [--json]',
    options: {
      message: { type: 'string', short: 'm', description: 'Answer this and exit; - reads it from stdin' },
      conversation: { type: 'string', description: 'Continue this conversation' },
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
    summary: "Revoke a user's token; their data stays",
    usage: '<name>',
    options: {},
    load: async () => ({ run: (await import('./commands/user.ts')).revokeUser }),
  },
  {
    name: 'audit',
    summary: 'Show recorded calls, newest first',
    usage: '[--user <id>] [--tool <name>] [--status success|failure] [--since <time>] [--follow] [--json]',
    options: {
      user: { type: 'string', description: 'Only calls of this user (id or name)' },
      tool: { type: 'string', description: 'Only calls of this tool' },
      status: { type: 'string', description: 'success or failure' },
      since: { type: 'string', description: 'A time (2026-11-15T10:00), or how long ago: 15m, 2h, 7d' },
      limit: { type: 'string', description: 'Maximum number of rows (default 50)' },
      follow: { type: 'boolean', short: 'f', description: 'Keep printing new calls' },
      json: { type: 'boolean', description: 'One JSON object per line, with parameters and results' },
    },
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'connect',
    summary: 'List the assistants that can be connected, or connect one: claude, claude-code, cursor, vscode, codex and others',
    usage: '[<name>] [--write | --remove] [--project]',
    options: {
      write: { type: 'boolean', description: "Write the entry into the assistant's configuration, after a backup" },
      remove: { type: 'boolean', description: 'Remove the entry' },
      project: { type: 'boolean', description: 'For the project in this folder only, where the assistant supports it' },
      'save-env': { type: 'boolean', description: 'Save the settings of this shell in the .env of the workspace' },
      json,
    },
    load: () => import('./commands/connect.ts'),
  },
  {
    name: 'engine add',
    summary: 'Install an engine: n8n (to check and run workflows without a server) or flowise (a local Flowise, started at once)',
    usage: '<n8n|flowise>',
    options: {
      'engine-port': {
        type: 'string',
        description: 'The port of Flowise (default: the one it had before; at first 3000 or the next free port)',
      },
    },
    load: async () => ({ run: (await import('./commands/engine.ts')).addEngine }),
  },
  {
    name: 'engine list',
    summary: 'List the installed engines, where they are, and whether Flowise is running',
    usage: '[--json]',
    options: { json },
    load: async () => ({ run: (await import('./commands/engine.ts')).listEngines }),
  },
  {
    name: 'doctor',
    summary: 'Check everything: what works, what is broken, what is not set up, and how to fix it',
    usage: '[--json]',
    options: { json },
    load: () => import('./commands/doctor.ts'),
  },
];
