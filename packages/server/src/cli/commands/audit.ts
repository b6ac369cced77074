import { Failure } from '@millrace/kernel';
import { type AuditFilter, type AuditRow, openStorage, type Storage } from '@millrace/storage';
import { allMigrations } from '../../toolsets.ts';
import type { CommandContext } from '../server-command.ts';

export async function run(context: CommandContext): Promise<number> {
  const { home, core } = context.configuration();
  const storage = await openStorage({ home, databaseUrl: core.databaseUrl, clock: { now: () => new Date() }, migrations: allMigrations });
  try {
    await show(context, storage);
    return 0;
  } finally {
    await storage.close();
  }
}

async function show({ line, terminal }: CommandContext, storage: Storage): Promise<void> {
  const { values } = line.input;
  const print = (row: AuditRow) => terminal.out(values.json ? JSON.stringify(row) : oneLine(row));
  const filter = await filterOf(values, storage);
  if (!values.follow) {
    const { rows } = await storage.audit.read(filter, { limit: limitOf(values.limit) });
    if (rows.length === 0) terminal.say('No calls match.');
    return rows.forEach(print);
  }
  for await (const row of storage.audit.follow(filter, { signal: terminal.signal })) print(row);
}

async function filterOf(values: CommandContext['line']['input']['values'], storage: Storage): Promise<AuditFilter> {
  const { user, tool, status, since } = values;
  if (status !== undefined && status !== 'success' && status !== 'failure')
    throw new Failure('invalid_input', '--status must be success or failure');
  const who =
    user === undefined ? undefined : (await storage.users.list()).find((candidate) => candidate.id === user || candidate.name === user);
  return {
    ...(user !== undefined && { userId: who?.id ?? String(user) }),
    ...(tool !== undefined && { tool: String(tool) }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { since: timeOf(String(since)) }),
  };
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function timeOf(text: string): Date {
  const ago = /^(\d+)([smhd])$/.exec(text);
  const time = ago ? new Date(Date.now() - Number(ago[1]) * (UNITS[ago[2] as string] as number)) : new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new Failure('invalid_input', `--since "${text}" is not a valid time: use 15m, 2h, 7d or 2026-11-15T10:00`);
  return time;
}

function limitOf(text: unknown): number {
  if (text === undefined) return 50;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new Failure('invalid_input', '--limit must be a whole number, at least 1');
  return limit;
}

function oneLine(row: AuditRow): string {
  const time = row.at.toISOString().replace('T', ' ').slice(0, 19);
  const outcome = row.status === 'success' ? 'ok' : (row.errorCode ?? 'failure');
  const parameters = JSON.stringify(row.parameters) ?? '';
  return `${time}  ${(row.userId ?? '-').padEnd(8)}  ${row.tool.padEnd(24)}  ${outcome.padEnd(14)}  ${row.durationMs.toFixed(1).padStart(8)} ms  ${parameters.slice(0, 80)}`;
}
