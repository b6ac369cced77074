import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { noAnswer, Problem, problemOf } from './problem.mjs';
import { Phase } from './progress.mjs';

/** How long npm may be silent before we mention it, and before we give up. */
const UNEASY_MS = 20_000;
const PATIENCE_MS = Number(process.env.MILLRACE_SETUP_PATIENCE_MS ?? 120_000);

// Not `npm ci`: it fails where a registry lacks the packages of some other platform. The lock file pins all versions anyway.
const INSTALL = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http', '--color=false'];

export async function install(root) {
  const stamp = join(root, 'node_modules', '.millrace-setup');
  const lockHash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash) return;
  const unfinished = join(root, '.setup', 'installing');
  if (existsSync(unfinished)) {
    process.stderr.write('The last install was interrupted, so it starts over.\n');
    rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  }
  writeFileSync(unfinished, '');
  const phase = new Phase('Installing packages');
  try {
    await npm(root, INSTALL, phase, packagesIn(join(root, 'package-lock.json')));
    // npm links the commands of a workspace only when it links the workspace itself.
    if (!existsSync(join(root, 'node_modules', '.bin', 'millrace'))) await npm(root, ['rebuild', 'millrace', '--ignore-scripts'], phase);
  } finally {
    phase.stop();
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stamp, lockHash);
  rmSync(unfinished);
  phase.done('Packages are installed');
}

/** Roughly the number that this platform needs. */
function packagesIn(lockFile) {
  const fits = (list, name) => !list || list.includes(name);
  const packages = Object.values(JSON.parse(readFileSync(lockFile, 'utf8')).packages);
  return packages.filter(({ integrity, os, cpu }) => integrity && fits(os, process.platform) && fits(cpu, process.arch)).length;
}

/** Runs npm and watches what it fetches. */
async function npm(root, args, phase, total) {
  const windows = process.platform === 'win32';
  const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], shell: windows });
  const interrupt = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  const complaints = [];
  const silence = watched(child, phase);
  let fetched = 0;
  createInterface({ input: child.stderr }).on('line', (line) => {
    silence.broken();
    if (total && / http (fetch|cache) .*\.tgz/.test(line)) phase.at(++fetched, total, 'packages');
    else if (line.startsWith('npm error')) complaints.push(line.slice('npm error'.length).trim());
  });
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Problem(`npm could not be started (${error.code}). Install Node.js together with npm.`)));
    child.once('close', (...outcome) => resolve(outcome));
  }).finally(() => {
    silence.end();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  });
  if (silence.gaveUp) throw new Problem(noAnswer(`has not answered for ${PATIENCE_MS / 1000} seconds`));
  if (signal) throw new Problem('The install was interrupted. It starts over with the next start.');
  if (code !== 0) throw problemOf(complaints.join('\n'), root);
}

/** Notices when nothing happens for too long. */
function watched(child, phase) {
  let last = Date.now();
  let told = false;
  const state = {
    gaveUp: false,
    broken() {
      last = Date.now();
      told = false;
    },
    end: () => clearInterval(watching),
  };
  const watching = setInterval(() => {
    const silent = Date.now() - last;
    if (silent > PATIENCE_MS) {
      state.gaveUp = true;
      child.kill();
    } else if (silent > UNEASY_MS && !told) {
      told = true;
      phase.note('The npm registry is slow to answer; still waiting...');
    }
  }, 200);
  return state;
}
