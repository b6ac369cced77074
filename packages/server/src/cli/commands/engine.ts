import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, type Progress, type Terminal } from '@millrace/kernel';
import type { Configuration } from '../../configuration.ts';
import type { CommandContext } from '../server-command.ts';

export async function addEngine(context: CommandContext): Promise<number> {
  const [engine] = context.line.input.positionals;
  if (engine === 'n8n') return addN8n(context);
  if (engine === 'flowise') return addFlowise(context);
  throw new Failure('invalid_input', engine === undefined ? 'Which engine?' : `"${engine}" is not an engine that is known here`, {
    fix: { instruction: 'Use: millrace engine add n8n, or: millrace engine add flowise' },
  });
}

async function addN8n({ configuration, terminal }: CommandContext): Promise<number> {
  const { home } = configuration();
  const { installN8nPack, licenceNotice, PINNED_VERSION } = await import('@millrace/n8n/pack');
  terminal.say(licenceNotice(PINNED_VERSION));
  const { version, folder } = await installN8nPack({ home, progress: shownOn(terminal, 'n8n'), signal: terminal.signal });
  terminal.say(`n8n ${version} is installed in ${folder}. node_search, workflow_validate and test_workflow work now.`);
  return 0;
}

async function addFlowise(context: CommandContext): Promise<number> {
  const { home, environment } = context.configuration();
  const { terminal, line } = context;
  const { FLOWISE_VERSION, installFlowise, startFlowise } = await import('@millrace/flowise/engine');
  const folder = join(home, 'engines', `flowise-${FLOWISE_VERSION}`);
  terminal.say(`Flowise ${FLOWISE_VERSION} is not part of Millrace. It comes from the npm registry, under the licences of its packages.`);
  const progress = (step: number, steps: number, message: string) =>
    terminal.status(`Flowise, step ${Math.min(step + 1, steps)} of ${steps}: ${message}`);
  const install = await installFlowise({ home: folder, environment, signal: terminal.signal, progress });
  terminal.say('Starting it (about half a minute)...');
  const port = line.input.values['engine-port'];
  const flowise = await startFlowise({
    install,
    data: join(folder, 'data'),
    environment,
    signal: terminal.signal,
    ...(port !== undefined && { port: portOf(String(port)) }),
  });
  terminal.say(
    `Flowise runs at ${flowise.url} until you press Ctrl-C. Sign in there with ${flowise.account.email} and the password ${flowise.account.password}.\nPut these lines into the .env of your workspace:\n`,
  );
  terminal.out(`FLOWISE_API_URL=${flowise.url}\nFLOWISE_API_KEY=${flowise.apiKey}`);
  await untilInterrupted(terminal.signal);
  await flowise.stop();
  return 0;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Failure('invalid_input', '--engine-port is a number from 1 to 65535');
  return port;
}

async function untilInterrupted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(60_000, undefined, { signal }).catch(() => {});
}

function shownOn(terminal: Terminal, name: string): Progress {
  return (done, total, message) =>
    terminal.status(`${name}: ${message ?? ''}${total ? ` ${bar(done / total)} ${Math.round((done / total) * 100)} %` : ''}`);
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * 20);
  return `[${'#'.repeat(full)}${' '.repeat(20 - full)}]`;
}

/** Brings the n8n engine beside a running server, for a checkout that is started for the first time. */
export async function addN8nMeanwhile({ home, core, environment }: Configuration, terminal: Terminal): Promise<void> {
  if (!core.toolsets.includes('n8n') || /^(off|0|false|no)$/i.test(environment.MILLRACE_ENGINE_INSTALL ?? '')) return;
  const { installN8nPack, licenceNotice, packStatus, PINNED_VERSION } = await import('@millrace/n8n/pack');
  if ((await packStatus(home)).installed.length > 0) return;
  terminal.say(
    `${licenceNotice(PINNED_VERSION)}\nIt is being installed now, so that workflows can be checked and run; everything else works meanwhile. MILLRACE_ENGINE_INSTALL=off forbids it.`,
  );
  try {
    await installN8nPack({ home, progress: shownOn(terminal, 'n8n') });
    terminal.say('n8n is installed: node_search, workflow_validate and test_workflow work now.');
  } catch (error) {
    terminal.say(
      `n8n could not be installed: ${error instanceof Error ? error.message : 'unknown reason'}. Try again with: millrace engine add n8n`,
    );
  }
}
