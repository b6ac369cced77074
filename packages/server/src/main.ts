import { type ParsedLine, readCommandLine } from './cli/command-line.ts';
import { commands, stdioCommand } from './cli/commands.ts';
import { runProgram } from './cli/run-program.ts';
import type { ServerCommand } from './cli/server-command.ts';
import { configure } from './configuration.ts';
import { currentFolder } from './program.ts';
import { toolsets } from './toolsets.ts';

/** Runs one command line and returns the exit code. */
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

/** Flags of a toolset's commands that are also its settings: they are needed before the toolset is created. */
function flagsOfToolset({ command, input }: ParsedLine<ServerCommand>): Record<string, Record<string, string | undefined>> {
  const owner = toolsets.find(({ commandGroup }) => commandGroup && command.name.startsWith(`${commandGroup.word} `));
  if (!owner?.commandGroup) return {};
  const given = owner.commandGroup.flags.map((flag) => [flag, input.values[flag] as string | undefined]);
  return { [owner.name]: Object.fromEntries(given) };
}

/** Every toolset is loaded only for help, and for words that are not a command of the server itself. */
function needsToolsets(argv: readonly string[]): boolean {
  const [word] = argv;
  if (word === '--help' || word === '-h') return true;
  return word !== undefined && !word.startsWith('-') && !commands.some((command) => command.name.split(' ')[0] === word);
}
