import { Failure } from '@millrace/kernel';
import { readCommandLine } from './cli/command-line.ts';
import { commands, stdioCommand } from './cli/commands.ts';
import { processTerminal } from './cli/terminal.ts';
import { type Configuration, configure } from './configuration.ts';

/** Runs one command line and answers the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  try {
    const known = needsToolsets(argv)
      ? [...commands, ...(await import('./cli/toolset-commands.ts').then((all) => all.toolsetCommands()))]
      : commands;
    const line = readCommandLine(argv, known, stdioCommand);
    if (line.version) {
      terminal.out((await import('./version.ts')).VERSION);
      return 0;
    }
    if (line.help) {
      const { commandHelp, overview } = await import('./cli/help.ts');
      terminal.out(line.command === stdioCommand ? overview('millrace', known) : commandHelp('millrace', line.command));
      return 0;
    }
    let configuration: Configuration | undefined;
    const { run } = await line.command.load();
    return await run({
      line,
      terminal,
      configuration() {
        configuration ??= configure({
          flags: line.settings,
          home: line.home,
          config: line.config,
          environment: process.env,
          workingDirectory: process.cwd(),
        });
        return configuration;
      },
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.say(`millrace: ${error.message}${error.fix ? `\n${error.fix.instruction}` : ''}`);
    return 1;
  }
}

/** Only help and words that are no command of the server's own are worth loading every toolset. */
function needsToolsets(argv: readonly string[]): boolean {
  const [word] = argv;
  if (word === '--help' || word === '-h') return true;
  return word !== undefined && !word.startsWith('-') && !commands.some((command) => command.name.split(' ')[0] === word);
}
