// How long it takes to install the release from a registry and to start it: node bench/install.ts [rounds]
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installRealRegistry } from '../scripts/real-registry.ts';
import { hostPlatform } from '../scripts/release/natives.ts';
import { packRelease } from '../scripts/release/pack.ts';
import { setup } from '../test/harness/package.ts';
import { modernMeta, StdioProcess } from '../test/harness/process.ts';
import { sizeOf } from '../test/real/registry-machine.ts';
import { startRegistry } from '../test/real/registry-server.ts';
import { coldStart } from './cold-start.ts';
import { median, table } from './measure.ts';

const rounds = Number(process.argv[2] ?? 5);
const MEGABYTE = 1_000_000;
const BARE = join(import.meta.dirname, 'baseline/bare-server.ts');

setup();
await installRealRegistry((text) => void process.stderr.write(`${text}\n`));
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const tarballs = packRelease(join(folder, 'release'), [hostPlatform()]);
mkdirSync(join(folder, 'storage'));
const registry = await startRegistry(join(folder, 'storage'));
const npmrc = join(folder, 'npmrc');
writeFileSync(
  npmrc,
  `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=anyone\nupdate-notifier=false\naudit=false\n`,
);

async function npm(home: string, ...args: string[]): Promise<number> {
  const started = performance.now();
  const env = { PATH: process.env.PATH, HOME: join(folder, home), npm_config_userconfig: npmrc, npm_config_loglevel: 'error' };
  mkdirSync(env.HOME, { recursive: true });
  const [command = 'npm', ...rest] = args;
  await promisify(execFile)(command, rest, { env, cwd: env.HOME });
  return (performance.now() - started) / 1000;
}

for (const tarball of tarballs) await npm('publisher', 'npm', 'publish', tarball);

const install = (home: string, prefix: string) => npm(home, 'npm', 'install', '--global', '--prefix', join(folder, prefix), 'millrace');
const seconds = { install: [] as number[], again: [] as number[], npx: [] as number[], npxAgain: [] as number[] };
for (let round = 0; round < rounds; round++) {
  seconds.install.push(await install(`home-${round}`, `prefix-${round}`));
  seconds.again.push(await install(`home-${round}`, `again-${round}`));
  seconds.npx.push(await npm(`npx-${round}`, 'npx', '-y', 'millrace', '--version'));
  seconds.npxAgain.push(await npm(`npx-${round}`, 'npx', '-y', 'millrace', '--version'));
}
await registry.close();

const env = { PATH: process.env.PATH ?? '', HOME: folder, MILLRACE_HOME: join(folder, 'data'), MILLRACE_LOG_LEVEL: 'error' };
const launcher = join(folder, 'prefix-0/lib/node_modules/millrace/bin/millrace.js');
const probe = new StdioProcess([launcher], env);
const { result } = await probe.request('tools/list', { _meta: modernMeta({}) });
await probe.close();
const tools = String((result as { tools: unknown[] }).tools.length);
const starts = { ours: [] as number[], bare: [] as number[], first: [] as number[] };
for (let round = 0; round < rounds * 2; round++) {
  const compileCache = { ...env, NODE_COMPILE_CACHE: join(folder, `compiled-${round}`) };
  starts.first.push((await coldStart([launcher], compileCache)).cpu);
  starts.ours.push((await coldStart([launcher], env)).cpu);
  starts.bare.push((await coldStart([BARE, 'stdio', tools], env)).cpu);
}

const download = tarballs.reduce((sum, path) => sum + statSync(path).size, 0) / MEGABYTE;
const installed = sizeOf(join(folder, 'prefix-0')) / MEGABYTE;
const time = (values: number[]) => `${median(values).toFixed(1)} s`;
const ratio = (values: number[]) => `${median(values).toFixed(0)} ms, ${(median(values) / median(starts.bare)).toFixed(2)}×`;
process.stdout.write(
  table(
    ['what', 'figure', 'goal'],
    [
      ['download', `${download.toFixed(1)} MB in ${tarballs.length} packages`, ''],
      ['installed', `${installed.toFixed(0)} MB`, '≤ 120 MB'],
      ['npm install --global, empty cache', time(seconds.install), ''],
      ['npm install --global, from the cache', time(seconds.again), ''],
      ['npx -y millrace --version, empty cache', time(seconds.npx), ''],
      ['npx -y millrace --version, again', time(seconds.npxAgain), ''],
      ['cold start of the installed package to tools/list, CPU', ratio(starts.ours), '≤ 0.9×'],
      ['… the very first, nothing compiled yet', ratio(starts.first), ''],
      ['… of a bare SDK server with as many tools', `${median(starts.bare).toFixed(0)} ms`, 'baseline'],
    ],
  ),
);
process.stdout.write(`\nMedians of ${rounds} installs from a registry on loopback and of ${rounds * 2} starts, in turn.\n`);
rmSync(folder, { recursive: true, force: true });
process.exit();
