import { join } from 'node:path';
import { Failure, type Terminal } from '@millrace/kernel';
import type { Engine, EngineCall, EngineState } from '@millrace/toolset';
import { FLOWISE_VERSION, installedFlowise, installFlowise } from './install.ts';
import { findFlowise, flowiseAddress, type RunningFlowise, startFlowise } from './start.ts';

export const flowiseEngine: Engine = {
  summary: 'flowise (a local Flowise, started at once)',
  options: {
    'engine-port': {
      type: 'string',
      description: 'The port of Flowise; by default the one it had before, at first 3000 or the next free one',
    },
  },
  add: addFlowise,
  list: async (home, program) => [await stateIn(home, program)],
};

/** Installs Flowise if it is missing, and runs it until it is stopped. */
async function addFlowise({ home, environment, terminal, values }: EngineCall): Promise<number> {
  const port = portOf(values['engine-port']);
  const { folder, data } = placesIn(home);
  const { signal } = terminal;
  const install = await installFlowise({ home: folder, environment, signal, progress: await spoken(folder, terminal) });
  const found = await findFlowise({ data, signal });
  if (found?.starter !== undefined) return alreadyRunning(found, found.starter, terminal);
  if (found) {
    terminal.say('Flowise still ran, left behind by a start that was killed.');
    return attended(found, signal, terminal);
  }
  terminal.say('Starting Flowise (about half a minute)...');
  return attended(await startFlowise({ install, data, environment, signal, port: port ?? 'usual' }), signal, terminal);
}

async function stateIn(home: string, program: string): Promise<EngineState> {
  const { folder, data } = placesIn(home);
  const url = await flowiseAddress(data);
  const version = FLOWISE_VERSION;
  if (url) return { version, state: `runs at ${url}`, folder };
  if (await installedFlowise(folder)) return { version, state: `installed, not running: ${program} engine add flowise`, folder };
  return { version, state: `not installed: ${program} engine add flowise`, folder: '' };
}

/** The user's data stays when a later version is installed beside it. */
function placesIn(home: string): { folder: string; data: string } {
  return { folder: join(home, 'engines', `flowise-${FLOWISE_VERSION}`), data: join(home, 'flowise') };
}

/** The progress of the installation: one changing line on a terminal, a line per step elsewhere. */
async function spoken(folder: string, terminal: Terminal): Promise<(step: number, steps: number, message: string) => void> {
  if (!(await installedFlowise(folder))) {
    terminal.say(
      `Flowise ${FLOWISE_VERSION} is not part of Millrace. It comes from the npm registry, under the licences of its packages, into ${folder} (2.3 GB, about five minutes).`,
    );
  }
  let said = '';
  return (step, steps, message) => {
    const text = `Flowise, step ${Math.min(Math.floor(step) + 1, steps)} of ${steps}: ${message}`;
    if (terminal.interactive) terminal.status(text);
    else if (Number.isInteger(step) && text !== said) terminal.say(text);
    said = text;
  };
}

function alreadyRunning({ url, apiKey }: RunningFlowise, starter: number, terminal: Terminal): number {
  terminal.say(`Flowise already runs at ${url}; process ${starter} looks after it.\nPut these lines into the .env of your workspace:\n`);
  terminal.out(linesFor(url, apiKey));
  return 0;
}

/** Until Ctrl-C, or until Flowise ends by itself. */
async function attended(flowise: RunningFlowise, signal: AbortSignal, terminal: Terminal): Promise<number> {
  const { url, apiKey, account } = flowise;
  terminal.say(
    `Flowise runs at ${url} until you press Ctrl-C. Sign in there with ${account.email} and the password ${account.password}.\nPut these lines into the .env of your workspace:\n`,
  );
  terminal.out(linesFor(url, apiKey));
  const interrupted = new Promise<'interrupted'>((resolve) => {
    if (signal.aborted) resolve('interrupted');
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
  // A promise alone does not keep Node running.
  const alive = setInterval(() => {}, 60_000);
  const end = await Promise.race([interrupted, flowise.ended.then(() => 'ended' as const)]);
  clearInterval(alive);
  if (end === 'interrupted') terminal.say('Stopping Flowise...');
  await flowise.stop();
  if (end === 'interrupted') return 0;
  throw new Failure('unavailable', 'Flowise ended by itself', { fix: { instruction: 'Start it again', command: 'engine add flowise' } });
}

function linesFor(url: string, apiKey: string): string {
  return `FLOWISE_API_URL=${url}\nFLOWISE_API_KEY=${apiKey}`;
}

function portOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Failure('invalid_input', '--engine-port is a number from 1 to 65535');
}
