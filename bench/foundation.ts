// The foundation's figures, each as a ratio to a bare SDK server with as many tools in the same run:
// node bench/foundation.ts [rounds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAUNCHER, setup } from '../test/harness/package.ts';
import { HttpProcess, modernMeta, modernRequest, StdioProcess } from '../test/harness/process.ts';
import { coldStart, cpuOf } from './cold-start.ts';
import { median, table } from './measure.ts';

setup();
const rounds = Number(process.argv[2] ?? 5);
const TOKEN = 'a-token-for-the-benchmark-only';
const BARE = join(import.meta.dirname, 'baseline/bare-server.ts');
const home = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  MILLRACE_HOME: join(home, 'home'),
  MILLRACE_WORKSPACE: join(home, 'workspace'),
  MILLRACE_LOG_LEVEL: 'error',
  MILLRACE_TOKEN: TOKEN,
  MILLRACE_PORT: '0',
  MILLRACE_RATE_LIMITS: 'off',
};

interface Contender {
  name: string;
  stdio: string[];
  http: string[];
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const pidOf = (process_: { child: { pid?: number | undefined } }) => process_.child.pid as number;
const list = (server: StdioProcess) => server.request('tools/list', { _meta: modernMeta({}) });
const READ = { limit: 1 };

async function stdioFigures({ stdio }: Contender): Promise<{ call: number; list: number; resident: number }> {
  const server = new StdioProcess(stdio, env);
  await list(server);
  for (let number = 0; number < 300; number++) await server.callTool('read_todos', READ, {}, {});
  const resident = residentOf(pidOf(server));
  const call = await cpuPer(pidOf(server), 3000, () => server.callTool('read_todos', READ, {}, {}));
  const listed = await cpuPer(pidOf(server), 300, () => list(server));
  await server.kill();
  return { call, list: listed, resident };
}

async function httpFigures({ http }: Contender): Promise<number> {
  const server = await new HttpProcess(http, env).listening();
  const call = () => modernRequest(server.url, TOKEN, 'tools/call', { name: 'read_todos', arguments: READ }, {});
  for (let number = 0; number < 200; number++) await call();
  const cpu = await cpuPer(pidOf(server), 1000, call);
  await server.kill();
  return cpu;
}

async function cpuPer(pid: number, times: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuOf(pid);
  for (let number = 0; number < times; number += 8) await Promise.all(Array.from({ length: 8 }, work));
  return (cpuOf(pid) - before) / times;
}

const probe = new StdioProcess([LAUNCHER], env);
const tools = ((await list(probe)).result as { tools: unknown[] }).tools.length;
await probe.close();
const ours: Contender = { name: 'Millrace', stdio: [LAUNCHER], http: [LAUNCHER, 'serve'] };
const bare: Contender = { name: 'bare SDK', stdio: [BARE, 'stdio', String(tools)], http: [BARE, 'http', String(tools)] };

const figures = new Map<string, { ours: number[]; bare: number[]; limit: number; unit: string }>();
function note(figure: string, limit: number, unit: string, mine: number, theirs: number): void {
  const entry = figures.get(figure) ?? { ours: [], bare: [], limit, unit };
  entry.ours.push(mine);
  entry.bare.push(theirs);
  figures.set(figure, entry);
}

for (let round = 0; round < rounds; round++) {
  const [coldOurs, coldBare] = [await coldStart(ours.stdio, env), await coldStart(bare.stdio, env)];
  note('cold start to tools/list, CPU', 0.9, 'ms', coldOurs.cpu, coldBare.cpu);
  note('cold start to tools/list, wall', Number.NaN, 'ms', coldOurs.wall, coldBare.wall);
  const [stdioOurs, stdioBare] = [await stdioFigures(ours), await stdioFigures(bare)];
  note('tools/call over stdio, CPU', 2, 'ms', stdioOurs.call, stdioBare.call);
  note('tools/list over stdio, CPU', 1, 'ms', stdioOurs.list, stdioBare.list);
  note('resident memory after 300 calls', 1.5, 'MB', stdioOurs.resident, stdioBare.resident);
  note('tools/call over HTTP, CPU', 1.1, 'ms', await httpFigures(ours), await httpFigures(bare));
}
rmSync(home, { recursive: true, force: true });

process.stdout.write(
  table(
    ['figure', 'Millrace', 'bare SDK', 'ratio', 'at most'],
    [...figures].map(([name, { ours: mine, bare: theirs, limit, unit }]) => {
      const [a, b] = [median(mine), median(theirs)];
      return [name, `${a.toFixed(2)} ${unit}`, `${b.toFixed(2)} ${unit}`, `${(a / b).toFixed(2)}×`, Number.isNaN(limit) ? '' : `${limit}×`];
    }),
  ),
);
process.stdout.write(
  `\n${tools} tools, ${rounds} rounds, medians. A call is read_todos: the whole pipeline, a query and an audit row that survives kill -9; the bare server only echoes.\n`,
);
