import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { flowragCommands, PLACES } from '@millrace/flowrag/commands';
import type { FlowragServices } from '@millrace/flowrag/toolset';
import type { CommandOption, Terminal } from '@millrace/kernel';
import { globalOptions, readCommandLine } from './cli/command-line.ts';
import { serveHttp } from './cli/commands/serve.ts';
import { serveStdio } from './cli/commands/stdio.ts';
import { commandHelp, overview } from './cli/help.ts';
import { runProgram } from './cli/run-program.ts';
import type { ServerCommand } from './cli/server-command.ts';
import { ofToolset } from './cli/toolset-commands.ts';
import { compose } from './compose.ts';
import { type Configuration, configure } from './configuration.ts';
import { createLog } from './log.ts';
import { currentFolder } from './program.ts';
import type { Shutdown } from './shutdown.ts';
import { VERSION } from './version.ts';

const mcp: ServerCommand = {
  name: 'mcp',
  summary: 'Serve FlowRAG to an assistant over stdio, or over HTTP if configured',
  usage: '[--config <path>] [--data <path>] [--docs <path>]',
  options: PLACES,
  load: async () => ({ run: ({ configuration, shutdown }) => serve(configuration(), shutdown) }),
};

/** The command line of `flowrag` and `flowrag-mcp`: one toolset alone, with the flags of its contract. */
export function flowragLine(argv: readonly string[]): Promise<number> {
  const commands = [...flowragCommands.map((command) => ofToolset('flowrag', command, command.name)), mcp];
  return runProgram('flowrag', async (terminal, shutdown) => {
    const { program } = terminal;
    const line = readCommandLine(argv, commands, mcp);
    if (line.version) return say(terminal, VERSION);
    if (argv.length === 0 || argv[0] === '--help' || argv[0] === '-h') return say(terminal, flowragOverview(program, commands));
    if (line.help) return say(terminal, commandHelp(program, line.command));
    const { run } = await line.command.load();
    return run({ line, terminal, shutdown, configuration: () => configured(line, program) });
  });
}

function flowragOverview(program: string, commands: readonly ServerCommand[]): string {
  const { home, 'log-level': logLevel } = globalOptions as Record<'home' | 'log-level', CommandOption>;
  return overview({
    program,
    about: 'FlowRAG: search in your own documents, with a graph of what they are about.',
    commands,
    options: { ...PLACES, home, 'log-level': logLevel },
    configFile: 'flowrag.config.json',
  });
}

function say(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

function configured({ config, home, settings, input }: ReturnType<typeof readCommandLine>, program: string): Configuration {
  const workingDirectory = currentFolder();
  const { data, docs } = input.values as { data?: string; docs?: string };
  return configure({
    flags: { ...settings, toolsets: 'flowrag', workspace: workingDirectory },
    home,
    config: undefined,
    environment: process.env,
    workingDirectory,
    program,
    toolsetFlags: { flowrag: { config, data, docs } },
    ...(config !== undefined && { secretsFolder: dirname(resolve(workingDirectory, config)) }),
  });
}

async function serve(configuration: Configuration, shutdown: Shutdown): Promise<number> {
  const log = createLog(configuration.core.logLevel);
  const millrace = await compose({ configuration, log });
  const [toolset] = millrace.catalog.toolsets;
  const services = toolset?.services as FlowragServices | undefined;
  const docs = services?.configuration.docs;
  if (docs !== undefined && !existsSync(docs))
    log.warn({ docs }, 'the documents folder does not exist: nothing can be indexed until it does');
  if (!services || services.configuration.transport === 'stdio') return serveStdio(millrace, log, shutdown);
  const { port } = services.configuration;
  await millrace.close();
  return serveHttp({ ...configuration, core: { ...configuration.core, port } }, shutdown, () => {});
}
