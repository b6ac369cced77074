import { resolve, sep } from 'node:path';
import type { Progress, Terminal } from '@millrace/kernel';
import { flowragIndex } from '../tools/flowrag-index.ts';
import { command, JSON_OPTION, reporting, runTool } from './tool-command.ts';

const BAR = 24;

export const indexCommand = command({
  name: 'index',
  summary: 'Bring the index up to date with the docs folder',
  usage: '[--force] [--dry-run] [--watch]',
  options: {
    ...JSON_OPTION,
    force: { type: 'boolean', description: 'Process all documents again' },
    'dry-run': { type: 'boolean', description: 'Only say what would change' },
    watch: { type: 'boolean', description: 'Stay and index again whenever documents change' },
  },
  async run({ values }, terminal, services) {
    let unfinished = false;
    const index = async (force: boolean) => {
      unfinished = true;
      const parameters = { force, dryRun: values['dry-run'] === true };
      const progress: Progress = (done, total, message) => {
        // Without a total the run waits, maybe for minutes: a line, since a status shows only on a terminal.
        if (total === undefined) terminal.say(message ?? '');
        else terminal.status(progressBar(done, total, message, terminal));
      };
      const { data: report, words } = await runTool(flowragIndex, parameters, services, terminal.signal, progress);
      terminal.status('');
      terminal.out(values.json ? JSON.stringify(report, null, 2) : words);
      unfinished = false;
    };
    const { docs, data } = services.configuration;
    if (values.watch !== true || docs === undefined) {
      await index(values.force === true);
      return 0;
    }
    await watchFolder(docs, {
      exclude: [data],
      signal: terminal.signal,
      async watching() {
        await index(values.force === true);
        terminal.say(`Watching ${docs} for changes; Ctrl-C ends.`);
      },
      // A failed run does not end the watch: the next change may put it right.
      async changed() {
        await reporting(terminal, () => index(false).then(() => 0));
      },
    });
    return unfinished ? 1 : 0;
  },
});

export function progressBar(
  done: number,
  total: number | undefined,
  message: string | undefined,
  { columns }: Pick<Terminal, 'columns'>,
): string {
  const filled = total ? Math.round((done / total) * BAR) : 0;
  const bar = total === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `;
  return `${bar}${message ?? ''}`.slice(0, Math.max(20, columns));
}

export interface WatchOptions {
  exclude: readonly string[];
  signal: AbortSignal;
  /** Called once the folder is watched: what changes from then on is not missed. */
  watching(): Promise<void>;
  changed(): Promise<void>;
  /** Changes that come closer together than this are taken together. */
  settleMs?: number;
}

/** Calls back after each burst of changes until the signal ends it; one call at a time, and never one too few. */
export async function watchFolder(folder: string, options: WatchOptions): Promise<void> {
  const excluded = options.exclude.map((path) => resolve(path));
  const { watch } = await import('chokidar');
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) =>
      excluded.some((one) => path === one || path.startsWith(one + sep)) || /[\\/](?:\.git|node_modules)(?:[\\/]|$)/.test(path),
  });
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const failed = Promise.withResolvers<never>();
  const start = (work: () => Promise<void>) => {
    running = running.then(work).catch(failed.reject);
  };
  watcher.on('ready', () => start(options.watching));
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(() => start(options.changed), options.settleMs ?? 300);
  });
  watcher.on('error', (error) => failed.reject(error));
  const ended = new Promise<void>((done) => {
    if (options.signal.aborted) done();
    options.signal.addEventListener('abort', () => done(), { once: true });
  });
  try {
    await Promise.race([ended, failed.promise]);
  } finally {
    clearTimeout(timer);
    await watcher.close();
    await running;
  }
}
