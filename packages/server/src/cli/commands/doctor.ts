import { type Check, Failure, instructionOf } from '@millrace/kernel';
import { compose } from '../../compose.ts';
import type { Configuration } from '../../configuration.ts';
import { assistantChecks } from '../../doctor/assistants.ts';
import { failed, folderCheck, modelCheck, nodeCheck, serverCheck } from '../../doctor/machine.ts';
import { createLog } from '../../log.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';

const MARKS: Record<Check['state'], string> = { ok: 'ok', optional: '-', broken: 'NO' };

const NOT_STARTING: Check = { name: 'tools', state: 'broken', detail: 'none: the server does not start until the rest is fixed' };

export async function run(context: CommandContext): Promise<number> {
  const checks = await allChecks(context);
  const { terminal, line } = context;
  const { program } = terminal;
  if (line.input.values.json) {
    const shown = checks.map(({ fix, ...check }) => ({
      ...check,
      ok: check.state !== 'broken',
      ...(fix && { fix: instructionOf(fix, program) }),
    }));
    terminal.out(JSON.stringify({ version: VERSION, checks: shown }));
  } else {
    for (const check of checks) terminal.out(formatted(check, program));
    terminal.out(`\n${summary(checks)}`);
  }
  return checks.some(({ state }) => state === 'broken') ? 1 : 0;
}

async function allChecks({ configuration: read }: CommandContext): Promise<Check[]> {
  const checks: Check[] = [nodeCheck()];
  let configuration: Configuration;
  try {
    configuration = read();
  } catch (error) {
    return [...checks, failed('configuration', error), ...(await assistantChecks(process.env))];
  }
  const { home, workspace, file, environment } = configuration;
  checks.push(
    { name: 'configuration', state: 'ok', detail: file?.path ?? 'defaults (no millrace.config.json)' },
    folderCheck('home', home, 'MILLRACE_HOME'),
    folderCheck('workspace', workspace, 'MILLRACE_WORKSPACE'),
    ...(await toolsetChecks(configuration)),
    modelCheck(configuration),
    await serverCheck(configuration),
    ...(await assistantChecks(environment)),
  );
  return checks;
}

async function toolsetChecks(configuration: Configuration): Promise<Check[]> {
  const { databaseUrl } = configuration.core;
  const checks: Check[] = [];
  try {
    const millrace = await compose({ configuration, log: createLog('silent') });
    try {
      const { toolsets } = millrace.catalog;
      await millrace.storage.store.check();
      checks.push(
        { name: 'storage', state: 'ok', detail: databaseUrl === undefined ? 'SQLite, readable and writable' : 'Postgres, reachable' },
        {
          name: 'tools',
          state: 'ok',
          detail: `${millrace.catalog.entries().length} tools of ${toolsets.map(({ name }) => name).join(', ')}`,
        },
      );
      for (const toolset of toolsets)
        checks.push(...((await toolset.checks?.().catch((error: unknown) => [failed(toolset.title, error)])) ?? []));
    } finally {
      await millrace.close();
    }
  } catch (error) {
    return await apart(configuration, error);
  }
  return checks;
}

/** The server does not start: each toolset is tried alone, so that a problem with one does not hide the others. */
async function apart(configuration: Configuration, error: unknown): Promise<Check[]> {
  const { core } = configuration;
  const [only, ...others] = core.toolsets;
  const invalid = error instanceof Failure && error.code === 'invalid_input';
  if (invalid && error.details.setting === 'tools') return [failed('tools', error)];
  // A failure that names a variable is about that setting, whatever else works.
  const setting = invalid || (error instanceof Failure && error.code === 'unavailable' && error.details.variable !== undefined);
  if (others.length === 0) return [failed(setting ? `configuration (${only})` : 'storage', error), NOT_STARTING];
  const checks: Check[] = [];
  for (const name of core.toolsets) checks.push(...(await toolsetChecks({ ...configuration, core: { ...core, toolsets: [name] } })));
  const isNew = ({ name, detail }: Check, at: number) => checks.findIndex((one) => one.name === name && one.detail === detail) === at;
  return [...checks.filter((check, at) => check.name !== 'tools' && isNew(check, at)), NOT_STARTING];
}

function formatted({ name, state, detail, fix }: Check, program: string): string {
  return `  ${MARKS[state].padEnd(4)}${name.padEnd(19)} ${detail}${fix ? `\n${' '.repeat(26)}→ ${instructionOf(fix, program)}` : ''}`;
}

function summary(checks: Check[]): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const broken = count('broken');
  const rest = `${count('ok')} ok, ${count('optional')} not set up (optional)`;
  return broken === 0 ? `Nothing is broken: ${rest}.` : `${broken === 1 ? '1 thing is' : `${broken} things are`} broken: ${rest}.`;
}
