import { existsSync } from 'node:fs';
import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '@millrace/kernel';
import { type HeldLock, withFileLock } from '@millrace/storage';
import { readJson, writeWhole } from './kept.ts';
import { runProgram } from './process.ts';

export const FLOWISE_VERSION = '3.1.4';

/** Where a Flowise is installed. */
export interface FlowiseInstall {
  version: string;
  /** The folder of the flowise package. */
  directory: string;
}

export interface InstallOptions {
  /** The folder that everything goes into. */
  home: string;
  /** Called with what is being done, of how many steps. */
  progress(step: number, steps: number, message: string): void;
  signal: AbortSignal;
  /** The environment for the programs that do the work: at least PATH and HOME. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Give way to other work. */
  gently?: boolean;
}

const TOOLS = { private: true, dependencies: { pnpm: '9.15.9', 'node-gyp': '12.1.0' } };

/** Flowise's published dependencies have drifted apart since its release: with these it starts. */
const FLOWISE = {
  private: true,
  dependencies: { flowise: FLOWISE_VERSION },
  pnpm: {
    overrides: {
      '@langchain/core': '1.1.20',
      '@langchain/langgraph-checkpoint': '1.0.0',
      '@langchain/langgraph-sdk': '1.6.5',
      '@langchain/langgraph@^1': '1.2.0',
    },
  },
};

const STEPS = 3;
const PACKAGES = 2_558;
/** What it takes on disk, the package manager's store among it. */
const NEEDED_GIGABYTES = 3.5;

/** An installation under way. */
interface Work extends InstallOptions {
  lock: HeldLock;
  tools: string;
  app: string;
}

/** Installs Flowise from the npm registry. What is already there stays; a broken-off installation is continued. */
export async function installFlowise(options: InstallOptions): Promise<FlowiseInstall> {
  demandNode24();
  const { home, signal, progress } = options;
  const there = await installedFlowise(home);
  if (there) return there;
  await mkdir(home, { recursive: true });
  const onWait = () => progress(0, STEPS, 'Another installation is under way here: waiting for it');
  try {
    return await withFileLock(join(home, 'installing.json'), { signal, onWait }, async (lock) => {
      const meanwhile = await installedFlowise(home);
      return meanwhile ?? install({ ...options, lock, tools: join(home, 'tools'), app: join(home, 'app') });
    });
  } catch (cause) {
    if (cause instanceof Failure || !signal.aborted) throw cause;
    throw new Failure('cancelled', 'The installation was stopped', { cause });
  }
}

async function install(work: Work): Promise<FlowiseInstall> {
  const { home, tools, app, progress } = work;
  await demandSpace(home);
  await writePackage(tools, TOOLS);
  await writePackage(app, FLOWISE);
  progress(0, STEPS, 'Fetching the package manager');
  await npm(work);
  progress(1, STEPS, `Installing Flowise ${FLOWISE_VERSION} (2.2 GB, some minutes)`);
  await installPackages(work);
  progress(2, STEPS, 'Building its SQLite module (up to some minutes)');
  await buildSqlite(work);
  await writeWhole(join(home, 'installed.json'), { version: FLOWISE_VERSION, node: process.versions.modules });
  progress(STEPS, STEPS, 'Flowise is installed');
  return installIn(home);
}

/** The Flowise that is whole in this folder. Its native module was built for one version of Node's binary interface. */
export async function installedFlowise(home: string): Promise<FlowiseInstall | undefined> {
  const note = await readJson<{ version?: string; node?: string }>(join(home, 'installed.json'));
  const install = installIn(home);
  const whole = note?.version === FLOWISE_VERSION && note.node === process.versions.modules;
  return whole && existsSync(join(install.directory, 'bin', 'run')) ? install : undefined;
}

function installIn(home: string): FlowiseInstall {
  return { version: FLOWISE_VERSION, directory: join(home, 'app', 'node_modules', 'flowise') };
}

async function demandSpace(home: string): Promise<void> {
  const { bavail, bsize } = await statfs(home);
  const free = (bavail * bsize) / 1024 ** 3;
  if (free >= NEEDED_GIGABYTES || existsSync(join(home, 'app', 'node_modules'))) return;
  throw new Failure('unavailable', `Flowise needs about ${NEEDED_GIGABYTES} GB of disk, and ${home} has ${free.toFixed(1)} GB left`, {
    fix: { instruction: 'Make room, or set MILLRACE_HOME to a folder on a larger disk' },
  });
}

function demandNode24(): void {
  if (Number.parseInt(process.versions.node, 10) >= 24) return;
  throw new Failure('unavailable', `Flowise ${FLOWISE_VERSION} needs Node 24, and this is ${process.versions.node}`, {
    fix: { instruction: 'Run Millrace with Node 24' },
  });
}

async function writePackage(folder: string, content: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(content));
}

async function npm({ tools, ...work }: Work): Promise<void> {
  const windows = process.platform === 'win32';
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  const program = windows ? { command: 'cmd.exe', arguments: ['/c', 'npm', ...words] } : { command: 'npm', arguments: words };
  await runProgram({ ...program, ...surroundings(work), directory: tools });
}

async function installPackages(work: Work): Promise<void> {
  const pnpm = join(work.tools, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
  const words = ['install', '--ignore-scripts', '--config.node-linker=hoisted', '--config.strict-peer-dependencies=false'];
  await runProgram({
    ...gentle(work, [pnpm, ...words, '--config.confirm-modules-purge=false', '--reporter=append-only']),
    directory: work.app,
    onLine(line) {
      const counts = /resolved (\d+).*added (\d+)/.exec(line);
      if (!counts) return;
      const [resolved, added] = [Number(counts[1]), Number(counts[2])];
      const share = Math.min(0.99, (resolved + added) / (2 * PACKAGES));
      const doing = added > 0 ? `${added} of about ${PACKAGES} packages are there` : `${resolved} of about ${PACKAGES} packages are found`;
      work.progress(1 + share, STEPS, `Installing Flowise: ${doing}`);
    },
  });
}

/** A prebuilt module where one can be had, else built here; Node's headers are beside the binary that npm delivers. */
async function buildSqlite(work: Work): Promise<void> {
  const directory = join(work.app, 'node_modules', 'sqlite3');
  const succeeds = (words: string[]) =>
    runProgram({ ...gentle(work, words), directory }).then(
      () => true,
      () => false,
    );
  // Loading it tells a whole one from one that a kill left half written.
  const loads = () => succeeds(['-e', "require('./lib/sqlite3-binding.js')"]);
  if (await loads()) return;
  const prebuild = join(directory, '..', 'prebuild-install', 'bin.js');
  if (existsSync(prebuild) && (await succeeds([prebuild, '-r', 'napi'])) && (await loads())) return;
  work.signal.throwIfAborted();
  const gyp = join(work.tools, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  const prefix = resolve(process.execPath, '..', '..');
  const headers = existsSync(join(prefix, 'include', 'node', 'node.h')) ? [`--nodedir=${prefix}`] : [];
  await runProgram({ ...gentle(work, [gyp, 'rebuild', '-j', '2', ...headers]), directory });
}

/** Our own Node, with less urgency where the system knows `nice`. */
function gentle(work: Work, words: string[]) {
  const polite = work.gently && process.platform !== 'win32';
  return {
    ...surroundings(work),
    command: polite ? 'nice' : process.execPath,
    arguments: polite ? ['-n', '10', process.execPath, ...words] : words,
  };
}

function surroundings({ signal, environment, lock }: Omit<Work, 'tools'>) {
  return { signal, environment, onStart: lock.workedOnBy };
}
