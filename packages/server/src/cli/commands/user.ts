import { Failure } from '@millrace/kernel';
import { LEVELS, type Level, openStorage, type Storage } from '@millrace/storage';
import { allMigrations } from '../../toolsets.ts';
import type { CommandContext } from '../server-command.ts';
import { table } from '../table.ts';

export async function addUser(context: CommandContext): Promise<number> {
  const [name] = named(context, 'user add <name>', 1);
  const level = context.line.input.values.level;
  return withStorage(context, async ({ users }) => {
    const { user, token } = await users.add({ name, ...(level !== undefined && { level: levelOf(String(level)) }) });
    context.terminal.say(`Added ${user.name} (${user.level}). Their token, shown only once:`);
    context.terminal.out(token);
  });
}

export async function listUsers(context: CommandContext): Promise<number> {
  return withStorage(context, async ({ users }) => {
    const all = await users.list();
    if (context.line.input.values.json) return context.terminal.out(JSON.stringify(all));
    const rows = all.map((user) => [
      user.name,
      user.owner ? 'owner' : user.level,
      user.createdAt.toISOString().slice(0, 10),
      user.revokedAt ? 'revoked' : '',
      user.id,
    ]);
    context.terminal.out(table(['NAME', 'LEVEL', 'SINCE', '', 'ID'], rows));
  });
}

export async function setUserLevel(context: CommandContext): Promise<number> {
  const [name, level] = named(context, 'user level <name> <level>', 2);
  return withStorage(context, async ({ users }) => {
    const user = await users.setLevel(name, levelOf(level));
    context.terminal.say(`${user.name} now has level ${user.level}.`);
  });
}

export async function revokeUser(context: CommandContext): Promise<number> {
  const [name] = named(context, 'user revoke <name>', 1);
  return withStorage(context, async ({ users }) => {
    const user = await users.revoke(name);
    context.terminal.say(`The token of ${user.name} no longer works.`);
  });
}

async function withStorage(context: CommandContext, work: (storage: Storage) => Promise<void>): Promise<number> {
  const { home, core } = context.configuration();
  const storage = await openStorage({ home, databaseUrl: core.databaseUrl, clock: { now: () => new Date() }, migrations: allMigrations });
  try {
    await work(storage);
    return 0;
  } finally {
    await storage.close();
  }
}

function named(context: CommandContext, usage: string, count: 1 | 2): [string, string] {
  const { positionals } = context.line.input;
  if (positionals.length !== count)
    throw new Failure('invalid_input', 'The command is incomplete', { fix: { instruction: 'Usage', command: usage } });
  return [positionals[0] as string, positionals[1] ?? ''];
}

function levelOf(text: string): Level {
  const level = LEVELS.find((candidate) => candidate === text);
  if (!level) throw new Failure('invalid_input', `"${text}" is not a level: use ${LEVELS.join(', ')}`);
  return level;
}
