/** Installs the n8n engine pack for tests and benchmarks into a cache outside the checkout, unless it is already there. */

import { Questions } from '../packages/server/src/cli/questions.ts';
import { sharedCache } from '../test/harness/n8n-pack.ts';
import { installN8nPack, licenceNotice } from '../toolsets/n8n/catalogue/pack/install.ts';
import { installedPack, PINNED_VERSION } from '../toolsets/n8n/catalogue/pack/installed.ts';

/** At a terminal, asks first; elsewhere MILLRACE_ENGINE_INSTALL=off declines. */
async function isWanted(): Promise<boolean> {
  const setting = process.env.MILLRACE_ENGINE_INSTALL ?? '';
  if (/^(off|0|false|no)$/i.test(setting)) return false;
  process.stderr.write(`The tests run workflows in the n8n engine.\n${licenceNotice(PINNED_VERSION)}\n`);
  if (setting || process.env.CI || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const questions = new Questions(process.stdin, process.stderr);
  try {
    return await questions.confirm('Install it now?', true);
  } finally {
    questions.close();
  }
}

const home = sharedCache();
if (!(await installedPack(home, PINNED_VERSION)) && (await isWanted())) {
  let said = '';
  const progress = (done: number, total?: number, message = '') => {
    const step = total ? `${message} ${Math.floor((done / total) * 10) * 10} %` : message;
    if (step !== said) process.stderr.write(`n8n: ${step}\n`);
    said = step;
  };
  try {
    const { folder } = await installN8nPack({ home, progress });
    process.stderr.write(`n8n ${PINNED_VERSION} is in ${folder}\n`);
  } catch (error) {
    process.stderr.write(`The n8n engine pack could not be installed; tests that need it are skipped. ${(error as Error).message}\n`);
  }
}
