import { resolve, sep } from 'node:path';
import { watch } from 'chokidar';

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
