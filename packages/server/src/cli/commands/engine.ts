import { Failure, type Progress, type Terminal } from '@millrace/kernel';
import type { Configuration } from '../../configuration.ts';
import type { CommandContext } from '../server-command.ts';
import { table } from '../table.ts';
import { addFlowise, flowiseRow } from './engine-flowise.ts';

export async function addEngine(context: CommandContext): Promise<number> {
  const [engine] = context.line.input.positionals;
  if (engine === 'n8n') return addN8n(context);
  if (engine === 'flowise') return addFlowise(context);
  throw new Failure('invalid_input', engine === undefined ? 'Which engine?' : `"${engine}" is not an engine that is known here`, {
    fix: { instruction: 'Use: millrace engine add n8n, or: millrace engine add flowise' },
  });
}

/** Which engines are installed, where, and whether they run. */
export async function listEngines({ configuration, terminal, line }: CommandContext): Promise<number> {
  const { home } = configuration();
  const { packStatus, PINNED_VERSION } = await import('@millrace/n8n/pack');
  const packs = (await packStatus(home)).installed.map(({ version, folder }) => ({
    engine: 'n8n',
    version,
    state: 'installed; started when a workflow is run',
    folder,
  }));
  const n8n =
    packs.length > 0 ? packs : [{ engine: 'n8n', version: PINNED_VERSION, state: 'not installed: millrace engine add n8n', folder: '' }];
  const engines = [...n8n, await flowiseRow(home)];
  if (line.input.values.json) terminal.out(JSON.stringify({ engines }));
  else
    terminal.out(
      table(
        ['engine', 'version', 'state', 'folder'],
        engines.map(({ engine, version, state, folder }) => [engine, version, state, folder]),
      ),
    );
  return 0;
}

async function addN8n({ configuration, terminal }: CommandContext): Promise<number> {
  const { home } = configuration();
  const { installN8nPack, licenceNotice, PINNED_VERSION } = await import('@millrace/n8n/pack');
  terminal.say(licenceNotice(PINNED_VERSION));
  const { version, folder } = await installN8nPack({ home, progress: shownOn(terminal, 'n8n'), signal: terminal.signal });
  terminal.say(`n8n ${version} is installed in ${folder}. node_search, workflow_validate and test_workflow work now.`);
  return 0;
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
