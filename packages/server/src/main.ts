import { type ParsedLine, readCommandLine } from './cli/command-line.ts';
import { commands, stdioCommand } from './cli/commands.ts';
import { runProgram } from './cli/run-program.ts';
import type { ServerCommand } from './cli/server-command.ts';
import { configure } from './configuration.ts';
import { currentFolder } from './program.ts';

/** Runs one command line and answers the exit code. */
export function main(argv: readonly string[]): Promise<number> {
  return runProgram('millrace', async (terminal, shutdown) => {
    const { program } = terminal;
    const known = needsToolsets(argv)
      ? [...commands, ...(await import('./cli/toolset-commands.ts').then((all) => all.toolsetCommands()))]
      : commands;
    const line = readCommandLine(argv, known, stdioCommand);
    if (line.version) {
      terminal.out((await import('./version.ts')).VERSION);
      return 0;
    }
    if (line.help) {
      const { commandHelp, millraceOverview } = await import('./cli/help.ts');
      terminal.out(line.command === stdioCommand ? millraceOverview(program, known) : commandHelp(program, line.command));
      return 0;
    }
    const { run } = await line.command.load();
    return run({
      line,
      terminal,
      shutdown,
      configuration() {
        return configure({
          flags: line.settings,
          home: line.home,
          config: line.config,
          environment: process.env,
          workingDirectory: currentFolder(),
          program,
          toolsetFlags: flagsOfToolset(line),
        });
      },
    });
  });
}

/** Flags of a toolset's commands that say where its data is: they are needed before the toolset is made. */
function flagsOfToolset({ command, input }: ParsedLine<ServerCommand>): Record<string, Record<string, string | undefined>> {
  const { data, docs } = input.values as { data?: string; docs?: string };
  return command.name.startsWith('flowrag ') ? { flowrag: { data, docs } } : {};
}

/** Only help and words that are no command of the server's own are worth loading every toolset. */
function needsToolsets(argv: readonly string[]): boolean {
  const [word] = argv;
  if (word === '--help' || word === '-h') return true;
  return word !== undefined && !word.startsWith('-') && !commands.some((command) => command.name.split(' ')[0] === word);
}
