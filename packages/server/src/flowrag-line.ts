import { dirname, resolve } from 'node:path';
import { flowragCommands } from '@millrace/flowrag';
import { Failure, type Terminal } from '@millrace/kernel';
import { readCommandLine } from './cli/command-line.ts';
import { serveHttp } from './cli/commands/serve.ts';
import { serveStdio } from './cli/commands/stdio.ts';
import { commandHelp, overview } from './cli/help.ts';
import type { ServerCommand } from './cli/server-command.ts';
import { processTerminal } from './cli/terminal.ts';
import { ofToolset } from './cli/toolset-commands.ts';
import { compose } from './compose.ts';
import { type Configuration, configure } from './configuration.ts';
import { createLog } from './log.ts';
import { VERSION } from './version.ts';

const places = {
  config: { type: 'string', description: 'Path to the configuration file (default ./flowrag.config.json)' },
  data: { type: 'string', description: 'Path to the data directory (default ./data)' },
  docs: { type: 'string', description: 'Path to the documents directory' },
} as const;

const mcp: ServerCommand = {
  name: 'mcp',
  summary: 'Serve FlowRAG to an assistant over stdio, or over HTTP when the configuration says so',
  usage: '[--config <path>] [--data <path>] [--docs <path>]',
  options: places,
  load: async () => ({ run: ({ configuration }) => serve(configuration()) }),
};

/** The command line of `flowrag` and `flowrag-mcp`: one toolset alone, with the flags of its contract. */
export async function flowragLine(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  const commands = [
    ...flowragCommands.map((command) => ofToolset('flowrag', { ...command, options: { ...command.options, ...places } }, command.name)),
    mcp,
  ];
  try {
    const line = readCommandLine(argv, commands, mcp);
    if (line.version) return say(terminal, VERSION);
    if (argv.length === 0 || argv[0] === '--help' || argv[0] === '-h') return say(terminal, overview('flowrag', commands));
    if (line.help) return say(terminal, commandHelp('flowrag', line.command));
    const { run } = await line.command.load();
    return await run({ line, terminal, configuration: () => configured(line) });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.say(`flowrag: ${error.message}${error.fix ? `\n${error.fix.instruction}` : ''}`);
    return 1;
  }
}

function say(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

function configured({ config, home, settings, input }: ReturnType<typeof readCommandLine>): Configuration {
  const workingDirectory = process.cwd();
  const { data, docs } = input.values as { data?: string; docs?: string };
  return configure({
    flags: { ...settings, toolsets: 'flowrag', workspace: workingDirectory },
    home,
    config: undefined,
    environment: process.env,
    workingDirectory,
    toolsetFlags: { flowrag: { config, data, docs } },
    ...(config !== undefined && { secretsFolder: dirname(resolve(workingDirectory, config)) }),
  });
}

async function serve(configuration: Configuration): Promise<number> {
  const { FlowragServices } = await import('@millrace/flowrag');
  const log = createLog(configuration.core.logLevel);
  const millrace = await compose({ configuration, log });
  const [toolset] = millrace.catalog.toolsets;
  const services = toolset?.services;
  if (!(services instanceof FlowragServices) || services.configuration.transport === 'stdio') return serveStdio(millrace, log);
  const { port } = services.configuration;
  await millrace.close();
  return serveHttp({ ...configuration, core: { ...configuration.core, port } }, () => {});
}
