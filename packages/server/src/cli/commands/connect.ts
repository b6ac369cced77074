import { join } from 'node:path';
import { Failure, nearest } from '@millrace/kernel';
import { writeDotEnv } from '../../config/dot-env.ts';
import { CONFIG_FILE } from '../../config/places.ts';
import type { Configuration } from '../../configuration.ts';
import { type Assistant, assistants, projectFile } from '../../connect/assistants.ts';
import { type Client, clients, type Launch } from '../../connect/clients.ts';
import { type ConfigurationFile, snippet } from '../../connect/configuration-file.ts';
import { settingsOfThisShell } from '../../connect/shell-settings.ts';
import { launchOf, thisProcess } from '../../program.ts';
import type { CommandContext } from '../server-command.ts';
import { table } from '../table.ts';

export async function run(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  const [name] = line.input.positionals;
  const configuration = context.configuration();
  const known = assistants(configuration.environment);
  const { write, remove, project } = line.input.values;
  if (write === true && remove === true)
    throw new Failure('invalid_input', '--write connects and --remove disconnects: they cannot be used together', {
      fix: { instruction: 'Use one of them' },
    });
  if (name === undefined && (write === true || remove === true))
    throw new Failure('invalid_input', `${write === true ? '--write' : '--remove'} needs the name of an assistant`, {
      fix: { instruction: `Use one of: ${Object.keys(clients).join(', ')}` },
    });
  if (name === undefined) return list(context, known, launchFor(configuration));
  const assistant = known.find((candidate) => candidate.name === name) ?? unknown(name);
  const { client } = assistant;
  const file = project === true ? inProject(client, configuration.workingDirectory) : assistant.file;
  if (remove === true) {
    const { changed, backup } = file.disconnect();
    terminal.say(
      changed
        ? `${client.title} is disconnected: ${file.path}${backupNote(backup)}.`
        : `${client.title} was not connected in ${file.path}.`,
    );
    return 0;
  }
  const launch = launchFor(configuration);
  if (write === true) connect(context, client, file, launch);
  else {
    const flags = project === true ? '--project --write' : '--write';
    terminal.say(`For ${client.title}, put this in ${file.path}. To do that automatically: ${terminal.program} connect ${name} ${flags}\n`);
    terminal.out(snippet(client, launch));
  }
  await carryOver(context, configuration);
  return 0;
}

export function connect({ terminal }: Pick<CommandContext, 'terminal'>, client: Client, file: ConfigurationFile, launch: Launch): void {
  const { changed, backup } = file.connect(launch);
  terminal.say(
    changed
      ? `${client.title} is connected: ${file.path}${backupNote(backup)}. ${client.after}`
      : `${client.title} is already connected: ${file.path}.`,
  );
}

/** The entry of an assistant: no secrets, since its file belongs to another program. */
export function launchFor({ home, workspace, file }: Configuration): Launch {
  const config = file && file.path !== join(workspace, CONFIG_FILE) ? { MILLRACE_CONFIG: file.path } : {};
  return { ...launchOf(thisProcess(), process.execPath), env: { MILLRACE_HOME: home, MILLRACE_WORKSPACE: workspace, ...config } };
}

function list({ terminal, line }: CommandContext, known: Assistant[], launch: Launch): number {
  const rows = known.map(({ name, client, file, installed }) => ({
    name,
    title: client.title,
    state: stateOf(file, installed, launch),
    file: file.path,
  }));
  if (line.input.values.json === true) terminal.out(JSON.stringify({ assistants: rows }));
  else {
    terminal.out(
      table(
        ['NAME', 'ASSISTANT', 'STATE', 'FILE'],
        rows.map(({ name, title, state, file }) => [name, title, state, file]),
      ),
    );
    terminal.say(`\nConnect one with: ${terminal.program} connect <name> --write`);
  }
  return 0;
}

function stateOf(file: ConfigurationFile, installed: boolean, launch: Launch): string {
  const connection = file.connection();
  if (connection.state === 'unreadable') return `unreadable: ${connection.reason}`;
  if (connection.state === 'absent') return installed ? 'not connected' : 'not found';
  const same = JSON.stringify([connection.launch?.command, connection.launch?.args]) === JSON.stringify([launch.command, launch.args]);
  return same ? 'connected' : 'connected to another Millrace';
}

/** Lists the settings that an assistant's server would not see, or saves them where it will. */
async function carryOver({ terminal, line }: CommandContext, configuration: Configuration): Promise<void> {
  const { workspace } = configuration;
  const settings = await settingsOfThisShell(process.env, configuration);
  const names = Object.keys(settings);
  if (names.length === 0) return;
  if (line.input.values['save-env'] === true) {
    terminal.say(`Saved in ${writeDotEnv(workspace, settings)}: ${names.join(', ')}.`);
    return;
  }
  terminal.say(
    `\nOnly this shell has ${names.join(', ')}. The assistant starts its own server: put ${names.length === 1 ? 'it' : 'them'} in ${join(workspace, '.env')}, or add --save-env to do that now.`,
  );
}

function inProject(client: Client, folder: string): ConfigurationFile {
  const { projectFile: path } = client;
  if (path !== undefined) return projectFile({ ...client, projectFile: path }, folder);
  const others = Object.keys(clients).filter((name) => clients[name]?.projectFile !== undefined);
  throw new Failure('invalid_input', `${client.title} has no configuration for single projects`, {
    fix: { instruction: `Leave out --project. These have one: ${others.join(', ')}` },
  });
}

function unknown(name: string): never {
  const [suggestion] = nearest(name, Object.keys(clients), 1);
  throw new Failure('invalid_input', `"${name}" is not an assistant that Millrace knows`, {
    fix: suggestion
      ? { instruction: 'Did you mean', command: `connect ${suggestion}` }
      : { instruction: `Use one of: ${Object.keys(clients).join(', ')}` },
  });
}

function backupNote(backup: string | undefined): string {
  return backup ? ` (the old file is ${backup})` : '';
}
