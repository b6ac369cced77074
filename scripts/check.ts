// npm test: every check in one command. Prints what failed, and a final line of counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';

const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

interface Stage {
  name: string;
  command: string;
  args: string[];
}

const stages: Stage[] = [
  { name: 'format and lint', command: bin('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: bin('tsc'), args: ['--noEmit'] },
  { name: 'unused code and dependencies', command: bin('knip'), args: ['--no-progress'] },
  { name: 'generated files', command: process.execPath, args: [join(root, 'scripts/generate.ts'), '--check'] },
];

/** Prints nothing unless it fails. */
function passes({ name, command, args }: Stage): boolean {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return status === 0;
}

interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
}

/** The storage suite also runs on a real Postgres: the one that TEST_DATABASE_URL names, or one that is installed here. */
async function testEnvironment(): Promise<{ env: NodeJS.ProcessEnv; stop(): void }> {
  const postgres = process.env.TEST_DATABASE_URL ? undefined : await startPostgres();
  const stop = () => postgres?.stop();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop();
      process.exit(1);
    });
  }
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  return { env: { ...process.env, ...plain, ...(postgres && { TEST_DATABASE_URL: postgres.url }) }, stop };
}

function tests(env: NodeJS.ProcessEnv, config: string[]): TestReport & { ok: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-check-'));
  const output = join(folder, 'report.json');
  try {
    const args = ['run', ...config, '--reporter=dot', '--reporter=json', `--outputFile.json=${output}`, ...process.argv.slice(2)];
    const { status } = spawnSync(bin('vitest'), args, { cwd: root, stdio: 'inherit', env });
    return { ...(JSON.parse(readFileSync(output, 'utf8')) as TestReport), ok: status === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const failedStages = stages.filter((stage) => !passes(stage));
const environment = await testEnvironment();
// FlowRAG's unit tests run separately, with its contract tests on the sources: every line of the toolset must be covered.
const apart = ['--exclude', 'toolsets/flowrag/**'];
const runs = [apart, ['--config', 'test/contract/flowrag/coverage.config.ts']].map((config) => tests(environment.env, config));
environment.stop();
const sum = (count: (report: TestReport) => number) => runs.reduce((total, run) => total + count(run), 0);
const passed = sum((report) => report.numPassedTests) + stages.length - failedStages.length;
const failed = sum((report) => report.numFailedTests) + failedStages.length;
process.stdout.write(`\n${passed} passed, ${failed} failed, ${sum((report) => report.numPendingTests)} skipped\n`);
process.exitCode = runs.every((run) => run.ok) && failed === 0 ? 0 : 1;
