// The tests against a real n8n, a real Flowise and a real npm registry: node scripts/real.ts. Each is installed once, outside the checkout;
// if one cannot be installed, its tests are skipped and the reason is printed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';
import { installRealFlowise } from './real-flowise.ts';
import { installRealN8n } from './real-n8n.ts';
import { installRealRegistry } from './real-registry.ts';

const root = join(import.meta.dirname, '..');
const say = (text: string) => void process.stderr.write(`${text}\n`);

const engines: { name: string; tests: string; install(): Promise<unknown> }[] = [
  { name: 'n8n', tests: 'test/real/n8n', install: () => installRealN8n(say) },
  { name: 'Flowise', tests: 'test/real/flowise', install: () => installRealFlowise() },
  { name: 'npm registry', tests: 'test/real/registry', install: () => installRealRegistry(say) },
];

const tests: string[] = [];
for (const { name, tests: folder, install } of engines) {
  try {
    await install();
    tests.push(folder);
  } catch (error) {
    say(`skipped: the tests against a real ${name}, which could not be installed here (${(error as Error).message.split('\n')[0]})`);
  }
}
if (['test/real/n8n', 'test/real/flowise'].every((folder) => tests.includes(folder))) tests.push('test/real/every-part');
if (tests.length > 0) {
  const postgres = process.env.TEST_DATABASE_URL ? undefined : await startPostgres();
  const env = { ...process.env, ...(postgres && { TEST_DATABASE_URL: postgres.url }) };
  const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', '--config', 'vitest.real.config.ts', ...tests], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  postgres?.stop();
  process.exitCode = status ?? 1;
}
