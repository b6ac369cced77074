import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, run } from './build.mjs';
import { install } from './install.mjs';
import { alone } from './lock.mjs';
import { Problem, problemOf } from './problem.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export async function setUp(flags) {
  try {
    accessSync(root, constants.W_OK);
    await alone(join(root, '.setup', 'lock'), async () => {
      await install(root);
      await build(root);
    });
    // Tests run workflows in the n8n engine: it is kept outside the checkout, so that only the first run waits for it.
    if (flags.includes('--with-engine')) await run(root, 'n8n-pack.ts');
  } catch (error) {
    const known = error instanceof Problem ? error : error.code && problemOf(error.code, root);
    if (!known) throw error;
    process.stderr.write(`${known.message}\n`);
    process.exit(1);
  }
}
