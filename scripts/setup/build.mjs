import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleIsFresh } from '../bundle-freshness.mjs';
import { Problem } from './problem.mjs';
import { Phase } from './progress.mjs';

export async function build(root) {
  if (bundleIsFresh()) return;
  const phase = new Phase('Building');
  try {
    await run(root, 'build.ts');
  } finally {
    phase.stop();
  }
  phase.done('Built');
}

/** Runs one of our scripts under the Node that came with the packages. */
export async function run(root, script) {
  const child = spawn(pinnedNode(root), [join(root, 'scripts', script)], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Problem(`scripts/${script} failed.`);
}

function pinnedNode(root) {
  const pinned = join(root, 'node_modules', '.bin', 'node');
  if (process.platform !== 'win32' && existsSync(pinned)) return pinned;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  throw new Problem(
    `There is no packaged Node for ${process.platform} ${process.arch}: install Node 22.18 or newer and start Millrace again.`,
  );
}
