import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, type Progress, type Terminal } from '@millrace/kernel';
import type { Configuration } from '../../configuration.ts';
import { Questions } from '../questions.ts';
import type { CommandContext } from '../server-command.ts';
import { table } from '../table.ts';
import { addFlowise, flowiseRow } from './engine-flowise.ts';

export async function addEngine(context: CommandContext): Promise<number> {
  const [engine] = context.line.input.positionals;
  if (engine === 'n8n') return addN8n(context);
  if (engine === 'flowise') return addFlowise(context);
  throw new Failure('invalid_input', engine === undefined ? 'Which engine?' : `"${engine}" is not an engine that is known here`, {
    fix: { instruction: 'Choose n8n or flowise', command: 'engine add <n8n|flowise>' },
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
    packs.length > 0
      ? packs
      : [{ engine: 'n8n', version: PINNED_VERSION, state: `not installed: ${terminal.program} engine add n8n`, folder: '' }];
  const engines = [...n8n, await flowiseRow(home, terminal.program)];
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

export async function addN8n({ configuration, terminal }: CommandContext): Promise<number> {
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

type Consent = 'given' | 'refused' | 'ask';

/** Brings the n8n engine beside a running server, for a checkout that is started for the first time; never without a yes. */
export async function addN8nMeanwhile(context: CommandContext, configuration: Configuration): Promise<void> {
  const { terminal } = context;
  const { home, core } = configuration;
  if (!core.toolsets.includes('n8n')) return;
  const { installN8nPack, licenceNotice, packStatus, PINNED_VERSION } = await import('@millrace/n8n/pack');
  if ((await packStatus(home)).installed.length > 0) return;
  const consent = consentOf(context, configuration);
  if (consent === 'refused') return;
  terminal.say(
    `The n8n engine checks and runs workflows on this machine; everything else works without it.\n${licenceNotice(PINNED_VERSION)}`,
  );
  if (consent === 'ask' && !(await agreed(terminal, home))) {
    terminal.say(`It is not installed. Whenever you want it: ${terminal.program} engine add n8n`);
    return;
  }
  await installN8nPack({ home, progress: shownOn(terminal, 'n8n'), signal: terminal.signal });
  terminal.say('n8n is installed: node_search, workflow_validate and test_workflow work now.');
}

/** A flag wins over the environment, which wins over what was answered before. */
function consentOf({ line }: CommandContext, { home, environment }: Configuration): Consent {
  const { engine } = line.input.values;
  if (typeof engine === 'boolean') return engine ? 'given' : 'refused';
  const setting = environment.MILLRACE_ENGINE_INSTALL ?? '';
  if (/^(off|0|false|no)$/i.test(setting)) return 'refused';
  if (/^(on|1|true|yes)$/i.test(setting)) return 'given';
  return existsSync(refusalIn(home)) ? 'refused' : 'ask';
}

/** A no is remembered, so that the next start does not ask again. */
async function agreed(terminal: Terminal, home: string): Promise<boolean> {
  if (!terminal.interactive) return false;
  const questions = new Questions(process.stdin, process.stderr);
  try {
    const yes = await questions.confirm('Install it now?', true);
    if (!yes) {
      mkdirSync(dirname(refusalIn(home)), { recursive: true });
      writeFileSync(refusalIn(home), '');
    }
    return yes;
  } finally {
    questions.close();
  }
}

function refusalIn(home: string): string {
  return join(home, 'engines', '.n8n-declined');
}
