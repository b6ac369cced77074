import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { Failure, nearest } from '@millrace/kernel';
import { appDataOf, type Client, clients, type Launch } from '../../connect/clients.ts';
import { snippet, withEntry } from '../../connect/entry.ts';
import type { CommandContext } from '../server-command.ts';

export async function run(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  const client = clientNamed(line.input.positionals);
  const { home, workspace, environment, core } = context.configuration();
  const launch: Launch = {
    command: process.execPath,
    args: [resolve(process.argv[1] as string)],
    env: {
      MILLRACE_HOME: home,
      MILLRACE_WORKSPACE: workspace,
      ...(core.databaseUrl !== undefined && { DATABASE_URL: core.databaseUrl, MILLRACE_TOKEN: core.token ?? '' }),
    },
  };
  const userHome = environment.HOME ?? environment.USERPROFILE ?? homedir();
  const path = client.file({ platform: process.platform, home: userHome, appData: appDataOf(process.platform, userHome, environment) });
  if (!line.input.values.write) {
    terminal.say(
      `For ${client.title}, put this into ${path} (or let it be done: millrace connect ${line.input.positionals[0]} --write):\n`,
    );
    terminal.out(snippet(client, launch));
    return 0;
  }
  const backup = write(path, client, launch);
  terminal.say(`${client.title} is connected: ${path}${backup ? ` (the old file is ${backup})` : ''}. ${client.after}`);
  return 0;
}

function clientNamed(positionals: string[]): Client {
  const [name] = positionals;
  const client = name === undefined ? undefined : clients[name];
  if (client) return client;
  const [suggestion] = name === undefined ? [] : nearest(name, Object.keys(clients), 1);
  throw new Failure('invalid_input', name === undefined ? 'Which assistant?' : `"${name}" is not an assistant that is known here`, {
    fix: { instruction: suggestion ? `Did you mean: millrace connect ${suggestion}?` : `Use one of: ${Object.keys(clients).join(', ')}` },
  });
}

/** Answers the path of the backup, if there was something to back up. */
function write(path: string, client: Client, launch: Launch): string | undefined {
  const current = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const changed = withEntry(current, client, launch, path);
  mkdirSync(dirname(path), { recursive: true });
  const backup = current === undefined ? undefined : `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}.bak`;
  if (backup !== undefined) copyFileSync(path, backup);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, changed, { mode: 0o600 });
  renameSync(temporary, path);
  return backup;
}
