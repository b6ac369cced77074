import { type Command, Failure } from '@millrace/kernel';
import { compose } from '../compose.ts';
import { createLog } from '../log.ts';
import { toolsets } from '../toolsets.ts';
import type { ServerCommand } from './server-command.ts';

/** The commands that the toolsets add, loaded when the command line names none of the server's own. */
export async function toolsetCommands(): Promise<ServerCommand[]> {
  const all = await Promise.all(toolsets.map(async (toolset) => ({ toolset, commands: (await toolset.commands?.()) ?? [] })));
  return all.flatMap(({ toolset: { name, commandGroup }, commands }) =>
    commands.map((command) => ofToolset(name, command, commandGroup ? `${commandGroup.word} ${command.name}` : command.name)),
  );
}

/** A toolset's command as a server command: it gets the services of its toolset, the only one that is started. */
// biome-ignore lint/suspicious/noExplicitAny: every toolset has its own services
export function ofToolset(toolset: string, command: Command<any>, name: string): ServerCommand {
  return {
    ...command,
    name,
    load: async () => ({
      async run({ configuration: read, line, terminal }) {
        const configuration = read();
        const core = { ...configuration.core, toolsets: [toolset] };
        const millrace = await compose({ configuration: { ...configuration, core }, log: createLog(quieter(core.logLevel)) });
        try {
          const made = millrace.catalog.toolsets.find((candidate) => candidate.name === toolset);
          if (!made) throw new Failure('unavailable', `The toolset ${toolset} is not available`);
          const before = name.slice(0, name.length - command.name.length).trim();
          const program = [terminal.program, before].filter(Boolean).join(' ');
          return await command.run(line.input, { ...terminal, program }, made.services);
        } finally {
          await millrace.close();
        }
      },
    }),
  };
}

/** A person is watching: only problems are logged, unless a log level is set. */
function quieter(level: string): string {
  return level === 'info' ? 'warn' : level;
}
