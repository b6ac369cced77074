import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOWISE_VERSION, installFlowise } from '@millrace/flowise/engine/install';
import { type RunningFlowise, startFlowise } from '@millrace/flowise/engine/start';

/**
 * A real Flowise for the tests in test/real and for the benchmarks. It is installed once, outside the checkout; every
 * start gets a new database. `node scripts/real-flowise.ts` starts one and prints its address and key.
 */
export async function startRealFlowise(options: { signal?: AbortSignal; verbose?: boolean } = {}): Promise<RunningFlowise> {
  const signal = options.signal ?? new AbortController().signal;
  const install = await installRealFlowise(signal);
  const data = await mkdtemp(join(tmpdir(), 'millrace-flowise-'));
  const running = await startFlowise({
    install,
    data,
    signal,
    environment: process.env,
    // The stand-in model listens on loopback, which Flowise otherwise refuses to call.
    settings: { HTTP_SECURITY_CHECK: 'false' },
    ...(options.verbose && { onLine: say }),
  });
  return {
    ...running,
    async stop() {
      await running.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export function installRealFlowise(signal: AbortSignal = new AbortController().signal) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return installFlowise({
    home: join(cache, 'millrace', `real-flowise-${FLOWISE_VERSION}`),
    signal,
    environment: process.env,
    gently: true,
    progress: (step, steps, message) => say(`Flowise ${step.toFixed(2)}/${steps} ${message}`),
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

if (import.meta.main) {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  if (process.argv.includes('--install')) {
    await installRealFlowise(stop.signal);
  } else {
    const flowise = await startRealFlowise({ signal: stop.signal, verbose: process.argv.includes('--verbose') });
    process.stdout.write(`${JSON.stringify({ url: flowise.url, apiKey: flowise.apiKey, account: flowise.account, pid: flowise.pid })}\n`);
    const alive = setInterval(() => {}, 60_000);
    stop.signal.addEventListener('abort', () => {
      clearInterval(alive);
      void flowise.stop();
    });
  }
}
