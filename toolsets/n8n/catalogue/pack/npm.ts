import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, isSystemError, type Progress } from '@millrace/kernel';

export interface RegistryInstall {
  /** Holds a package.json and a package-lock.json. */
  folder: string;
  packages: number;
  signal: AbortSignal;
  progress: Progress;
}

/** Installs what a lock file names into a folder's node_modules, verified by checksum. */
export interface RegistryClient {
  install(request: RegistryInstall): Promise<void>;
}

const OPTIONS = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=http', '--color=false'];

/** Runs npm itself, so that the user's proxies, mirrors and certificates apply. */
export const npmClient: RegistryClient = {
  async install({ folder, packages, signal, progress }) {
    const npm = npmCommand();
    const child = spawn(npm.command, [...npm.first, 'ci', ...OPTIONS], {
      cwd: folder,
      signal,
      // On a polite signal, npm would wait for the registry first.
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const tail: string[] = [];
    let fetched = 0;
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      for (const line of text.split('\n')) {
        if (/ http (fetch|cache) .*\.tgz/.test(line)) progress(Math.min(++fetched, packages), packages, 'Fetching packages');
        else if (line.startsWith('npm error')) tail.push(line.slice('npm error'.length).trim());
      }
    });
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }).catch((error: unknown) => {
      if (signal.aborted) throw new Failure('cancelled', 'The installation of n8n was cancelled');
      if (!isSystemError(error)) throw error;
      throw new Failure('unavailable', 'npm could not be started', {
        fix: { instruction: 'Install Node.js with npm, and make sure that npm is on the PATH' },
        cause: error,
      });
    });
    if (exitCode !== 0) throw npmFailed(tail);
  },
};

function npmFailed(errors: string[]): Failure {
  const said = errors.filter((line) => line !== '' && !line.includes('complete log')).slice(0, 5);
  return new Failure('upstream', `npm could not install n8n's packages: ${said.join(' ').slice(0, 500) || 'no reason given'}`, {
    details: { npm: said },
    fix: {
      instruction:
        'Check the connection to the npm registry and the space on the disk, then run the command again: it continues where it stopped',
    },
  });
}

/** The npm next to this Node if there is one, so that a bare PATH is enough; else the one on the PATH. */
function npmCommand(): { command: string; first: string[] } {
  const bin = dirname(process.execPath);
  for (const script of [join(bin, '../lib/node_modules/npm/bin/npm-cli.js'), join(bin, 'node_modules/npm/bin/npm-cli.js')]) {
    if (existsSync(script)) return { command: process.execPath, first: [script] };
  }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', first: [] };
}
