import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Check, Failure } from '@millrace/kernel';
import { compose } from '../../compose.ts';
import type { Configuration } from '../../configuration.ts';
import { createLog } from '../../log.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../server-command.ts';

export async function run(context: CommandContext): Promise<number> {
  const checks: Check[] = [nodeCheck()];
  let configuration: Configuration | undefined;
  try {
    configuration = context.configuration();
    checks.push({ name: 'configuration', ok: true, detail: configuration.file?.path ?? 'defaults (no millrace.config.json)' });
  } catch (error) {
    checks.push(failed('configuration', error));
  }
  if (configuration) checks.push(...(await serverChecks(configuration)));
  const { terminal, line } = context;
  if (line.input.values.json) terminal.out(JSON.stringify({ version: VERSION, checks }));
  else for (const check of checks) terminal.out(formatted(check));
  return checks.every((check) => check.ok) ? 0 : 1;
}

async function serverChecks(configuration: Configuration): Promise<Check[]> {
  const { core, home, workspace } = configuration;
  const checks = [
    folderCheck('home', home, 'MILLRACE_HOME'),
    folderCheck('workspace', workspace, 'MILLRACE_WORKSPACE'),
    await portCheck(core.host, core.port),
  ];
  try {
    const millrace = await compose({ configuration, log: createLog('silent') });
    try {
      await millrace.storage.store.check();
      checks.push({
        name: 'storage',
        ok: true,
        detail: core.databaseUrl === undefined ? 'SQLite, readable and writable' : 'Postgres, reachable',
      });
      checks.push({
        name: 'tools',
        ok: true,
        detail: `${millrace.catalog.entries().length} tools of ${millrace.catalog.toolsets.map((toolset) => toolset.name).join(', ')}`,
      });
      for (const toolset of millrace.catalog.toolsets) checks.push(...((await toolset.checks?.()) ?? []));
    } finally {
      await millrace.close();
    }
  } catch (error) {
    checks.push(failed('storage', error));
  }
  return checks;
}

function nodeCheck(): Check {
  return { name: 'Node', ok: true, detail: `${process.versions.node} at ${process.execPath}` };
}

function folderCheck(name: string, path: string, variable: string): Check {
  try {
    if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK);
    return { name, ok: true, detail: path };
  } catch {
    return { name, ok: false, detail: `${path} cannot be written to`, fix: `Make it writable, or set ${variable} to a folder of yours` };
  }
}

function portCheck(host: string, port: number): Promise<Check> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () =>
      resolve({
        name: 'port',
        ok: true,
        detail: `${port} is in use (by a running server, perhaps). Another one: millrace serve --port ${port + 1}`,
      }),
    );
    probe.listen(port, host, () => probe.close(() => resolve({ name: 'port', ok: true, detail: `${port} on ${host} is free` })));
  });
}

function failed(name: string, error: unknown): Check {
  const detail = error instanceof Error ? error.message : String(error);
  return { name, ok: false, detail, ...(error instanceof Failure && error.fix && { fix: error.fix.instruction }) };
}

function formatted({ name, ok, detail, fix }: Check): string {
  return `${ok ? '  ok  ' : '  no  '}${name.padEnd(16)}${detail}${fix ? `\n${' '.repeat(22)}→ ${fix}` : ''}`;
}
