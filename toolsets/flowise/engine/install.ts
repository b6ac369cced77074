import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '@millrace/kernel';
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

/** Installs Flowise from the npm registry. What is already there stays; a broken-off installation is continued. */
export async function installFlowise(options: InstallOptions): Promise<FlowiseInstall> {
  demandNode24();
  const tools = join(options.home, 'tools');
  const app = join(options.home, 'app');
  const install: FlowiseInstall = { version: FLOWISE_VERSION, directory: join(app, 'node_modules', 'flowise') };
  const done = join(options.home, 'installed.json');
  if (await isInstalled(done)) return install;
  await writePackage(tools, TOOLS);
  await writePackage(app, FLOWISE);
  options.progress(0, STEPS, 'Fetching the package manager');
  await npm(tools, options);
  options.progress(1, STEPS, `Installing Flowise ${FLOWISE_VERSION} (2.2 GB, some minutes)`);
  await installPackages(tools, app, options);
  options.progress(2, STEPS, 'Building its SQLite module');
  await buildSqlite(tools, join(app, 'node_modules', 'sqlite3'), options);
  await writeFile(`${done}.new`, JSON.stringify({ version: FLOWISE_VERSION, node: process.versions.modules }));
  await rename(`${done}.new`, done);
  options.progress(STEPS, STEPS, 'Flowise is installed');
  return install;
}

/** The native module was built for one version of Node's binary interface. */
async function isInstalled(file: string): Promise<boolean> {
  try {
    const { version, node } = JSON.parse(await readFile(file, 'utf8')) as { version?: string; node?: string };
    return version === FLOWISE_VERSION && node === process.versions.modules;
  } catch {
    return false;
  }
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

async function npm(directory: string, { signal, environment }: InstallOptions): Promise<void> {
  const windows = process.platform === 'win32';
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  const program = windows ? { command: 'cmd.exe', arguments: ['/c', 'npm', ...words] } : { command: 'npm', arguments: words };
  await runProgram({ ...program, directory, signal, environment });
}

async function installPackages(tools: string, app: string, options: InstallOptions): Promise<void> {
  const pnpm = join(tools, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
  const words = ['install', '--ignore-scripts', '--config.node-linker=hoisted', '--config.strict-peer-dependencies=false'];
  await runProgram({
    ...gentle(options, [pnpm, ...words, '--config.confirm-modules-purge=false', '--reporter=append-only']),
    directory: app,
    onLine(line) {
      const counts = /resolved (\d+).*added (\d+)/.exec(line);
      if (!counts) return;
      const [resolved, added] = [Number(counts[1]), Number(counts[2])];
      const share = Math.min(0.99, (resolved + added) / (2 * PACKAGES));
      const doing = added > 0 ? `${added} of about ${PACKAGES} packages are there` : `${resolved} of about ${PACKAGES} packages are found`;
      options.progress(1 + share, STEPS, `Installing Flowise: ${doing}`);
    },
  });
}

/** A prebuilt module where one can be had, else built here; Node's headers are beside the binary that npm delivers. */
async function buildSqlite(tools: string, directory: string, options: InstallOptions): Promise<void> {
  if (existsSync(join(directory, 'build', 'Release', 'node_sqlite3.node'))) return;
  const prebuild = join(directory, '..', 'prebuild-install', 'bin.js');
  if (existsSync(prebuild)) {
    const fetched = await runProgram({ ...gentle(options, [prebuild, '-r', 'napi']), directory }).then(
      () => true,
      () => false,
    );
    if (fetched) return;
  }
  options.signal.throwIfAborted();
  const gyp = join(tools, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  const prefix = resolve(process.execPath, '..', '..');
  const headers = existsSync(join(prefix, 'include', 'node', 'node.h')) ? [`--nodedir=${prefix}`] : [];
  await runProgram({ ...gentle(options, [gyp, 'rebuild', '-j', '2', ...headers]), directory });
}

/** Our own Node, with less urgency where the system knows `nice`. */
function gentle({ gently, signal, environment }: InstallOptions, words: string[]) {
  const polite = gently && process.platform !== 'win32';
  return {
    command: polite ? 'nice' : process.execPath,
    arguments: polite ? ['-n', '10', process.execPath, ...words] : words,
    signal,
    environment,
  };
}
