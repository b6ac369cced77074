// FlowRAG inside the server: what an existing index adds to the start, and how long a large document keeps others waiting:
// node bench/flowrag-server.ts [rounds] [megabytes of the large document, 0 leaves it out]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LAUNCHER } from '../test/harness/package.ts';
import { modernMeta, StdioProcess } from '../test/harness/process.ts';
import { Corpus, ENGLISH } from './flowrag-prose.ts';
import { median, table } from './measure.ts';

const rounds = Number(process.argv[2] ?? 7);
const megabytes = Number(process.argv[3] ?? 5);
const home = mkdtempSync(join(tmpdir(), 'flowrag-server-'));
const docs = join(home, 'workspace', 'docs');
const delays = join(home, 'delays.json');
mkdirSync(docs, { recursive: true });
writeFileSync(join(home, 'workspace', 'flowrag.config.json'), JSON.stringify({ docs: './docs', data: './data' }));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  MILLRACE_HOME: join(home, 'home'),
  MILLRACE_WORKSPACE: join(home, 'workspace'),
  MILLRACE_LOG_LEVEL: 'error',
  MILLRACE_RATE_LIMITS: 'off',
};
const corpus = new Corpus(5, ENGLISH);

function startOf(toolsets: string, more: Record<string, string> = {}): StdioProcess {
  return new StdioProcess([LAUNCHER], { ...env, MILLRACE_TOOLSETS: toolsets, ...more });
}

const list = (server: StdioProcess) => server.request('tools/list', { _meta: modernMeta({}) });

/** User and system time of a process so far, in milliseconds. */
function cpuOf(server: StdioProcess): number {
  const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function coldStart(toolsets: string): Promise<number> {
  const server = startOf(toolsets);
  await list(server);
  const cpu = cpuOf(server);
  await server.kill();
  return cpu;
}

/** Calls again until the job that the first call started is done. */
async function index(server: StdioProcess): Promise<void> {
  for (;;) {
    const reply = await server.callTool('flowrag_index', {}, {}, {});
    const text = JSON.stringify(reply);
    if (text.includes('"isError":true')) throw new Error(text.slice(0, 500));
    if (!text.includes('"status":"running"')) return;
  }
}

function largeDocument(): string {
  let text = '# Handbook of systems\n\n';
  for (let number = 1; text.length < megabytes * 1e6; number++) {
    text += `## ${corpus.name()} service ${number}\n\n${corpus.text(700)}\n\nThe ${corpus.name()} service ${number % 300} publishes order events to Kafka.\n\n`;
    text += `- **Owner**: Team ${corpus.name()}\n- **Database**: PostgreSQL\n\n${corpus.text(500)}\n\n`;
  }
  return text.slice(0, megabytes * 1e6);
}

/** Loaded before the server: repeatedly records the longest stall of its event loop. */
const WATCH = `import { monitorEventLoopDelay } from 'node:perf_hooks';
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  setTimeout(() => delay.enable(), 3000).unref();
  setInterval(() => writeFileSync(${JSON.stringify(delays)}, JSON.stringify({ longest: delay.max / 1e6, p99: delay.percentile(99) / 1e6 })), 200).unref();
}`;

async function largeFigures(): Promise<string[][]> {
  writeFileSync(join(docs, 'large.md'), largeDocument());
  const watch = join(home, 'watch.mjs');
  writeFileSync(watch, WATCH);
  const server = startOf('todo,flowrag', { NODE_OPTIONS: `--import ${pathToFileURL(watch)}` });
  await list(server);
  await new Promise((resolve) => setTimeout(resolve, 3500));
  const waits: number[] = [];
  let done = false;
  const asking = (async () => {
    while (!done) {
      const asked = performance.now();
      await server.callTool('read_todos', { limit: 1 }, {}, {});
      waits.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await index(server);
  done = true;
  await asking;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { longest, p99 } = JSON.parse(readFileSync(delays, 'utf8')) as { longest: number; p99: number };
  await server.kill();
  return [
    [`longest stall of the event loop while a document of ${megabytes} MB is indexed`, `${longest.toFixed(0)} ms`, '≤ 100 ms'],
    ['… 99 of 100 turns', `${p99.toFixed(0)} ms`, ''],
    ['read_todos meanwhile, p50', `${median(waits).toFixed(1)} ms`, ''],
    ['… the slowest of them', `${Math.max(...waits).toFixed(0)} ms`, ''],
  ];
}

try {
  for (let number = 0; number < 100; number++)
    writeFileSync(join(docs, `${number}.md`), `# ${corpus.name()} ${number}\n\n${corpus.text(600)}\n`);
  const first = startOf('todo,flowrag');
  await index(first);
  await first.close();
  const [foundation, indexed]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    foundation.push(await coldStart('todo'));
    indexed.push(await coldStart('todo,flowrag'));
  }
  const rows = [
    ['cold start of the foundation (todo alone) to tools/list, CPU', `${median(foundation)} ms`, 'baseline'],
    [
      '… with FlowRAG and an index of 100 documents',
      `${median(indexed)} ms, ${(median(indexed) / median(foundation)).toFixed(2)}×`,
      '≤ 1.3×',
    ],
    ...(megabytes > 0 ? await largeFigures() : []),
  ];
  process.stdout.write(table(['what', 'figure', 'goal'], rows));
} finally {
  rmSync(home, { recursive: true, force: true });
}
