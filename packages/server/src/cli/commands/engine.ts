import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, type Terminal } from '@millrace/kernel';
import type { Engine, EngineCall } from '@millrace/toolset';
import type { Configuration } from '../../configuration.ts';
import { toolsets } from '../../toolsets.ts';
import { Questions } from '../questions.ts';
import type { CommandContext } from '../server-command.ts';
import { table } from '../table.ts';

/** The engines, by the name of their toolset. */
export async function engines(): Promise<Map<string, Engine>> {
  const all = await Promise.all(toolsets.map(async ({ name, engine }) => [name, await engine?.()] as const));
  return new Map(all.flatMap(([name, engine]) => (engine ? [[name, engine] as const] : [])));
}

export async function addEngine(context: CommandContext): Promise<number> {
  const [name] = context.line.input.positionals;
  const known = await engines();
  const engine = name === undefined ? undefined : known.get(name);
  if (engine) return engine.add(engineCall(context));
  const names = [...known.keys()];
  throw new Failure('invalid_input', name === undefined ? 'Which engine?' : `"${name}" is not an engine that Millrace knows`, {
    fix: { instruction: `Choose ${names.join(' or ')}`, command: `engine add <${names.join('|')}>` },
  });
}

/** Lists the installed engines, where they are, and whether they are running. */
export async function listEngines({ configuration, terminal, line }: CommandContext): Promise<number> {
  const { home } = configuration();
  const rows = [...(await engines())].map(async ([engine, { list }]) =>
    (await list(home, terminal.program)).map((state) => ({ engine, ...state })),
  );
  const listed = (await Promise.all(rows)).flat();
  if (line.input.values.json) terminal.out(JSON.stringify({ engines: listed }));
  else
    terminal.out(
      table(
        ['engine', 'version', 'state', 'folder'],
        listed.map(({ engine, version, state, folder }) => [engine, version, state, folder]),
      ),
    );
  return 0;
}

export function engineCall({ configuration, terminal, line }: CommandContext): EngineCall {
  const { home, environment } = configuration();
  return { home, environment, terminal, values: line.input.values };
}

type Consent = 'given' | 'refused' | 'ask';

/** Offers the engines at the first start of a checkout, while the server is running; never installs without a yes. */
export async function offerEngines(context: CommandContext, configuration: Configuration): Promise<void> {
  const { terminal } = context;
  const { home, core } = configuration;
  for (const [name, engine] of await engines()) {
    const { offer } = engine;
    if (!offer || !core.toolsets.includes(name) || (await offer.isInstalled(home))) continue;
    const refusal = join(home, 'engines', `.${name}-declined`);
    const consent = consentOf(context, configuration, refusal);
    if (consent === 'refused') continue;
    terminal.say(`${offer.purpose}\n${offer.notice}`);
    if (consent === 'ask' && !(await agreed(terminal, refusal))) {
      terminal.say(`Not installed. To install it later: ${terminal.program} engine add ${name}`);
      continue;
    }
    await install(context, name, engine);
  }
}

async function install(context: CommandContext, name: string, engine: Engine): Promise<void> {
  try {
    await engine.add({ ...engineCall(context), noticed: true });
  } catch (error) {
    if (context.terminal.signal.aborted || (error instanceof Failure && error.code === 'cancelled')) throw error;
    context.terminal.say(`The ${name} engine could not be installed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A flag wins over the environment, which wins over an earlier answer. */
function consentOf({ line }: CommandContext, { environment }: Configuration, refusal: string): Consent {
  const { engine } = line.input.values;
  if (typeof engine === 'boolean') return engine ? 'given' : 'refused';
  const setting = environment.MILLRACE_ENGINE_INSTALL ?? '';
  if (/^(off|0|false|no)$/i.test(setting)) return 'refused';
  if (/^(on|1|true|yes)$/i.test(setting)) return 'given';
  return existsSync(refusal) ? 'refused' : 'ask';
}

/** A no is remembered, so that the next start does not ask again. */
async function agreed(terminal: Terminal, refusal: string): Promise<boolean> {
  if (!terminal.interactive) return false;
  const questions = new Questions(process.stdin, process.stderr);
  try {
    const yes = await questions.confirm('Install it now?', true);
    if (!yes) {
      mkdirSync(dirname(refusal), { recursive: true });
      writeFileSync(refusal, '');
    }
    return yes;
  } finally {
    questions.close();
  }
}
