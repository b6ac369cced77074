// The chat agent without a model: node bench/agent.ts [rounds]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpProcess, LAUNCHER, modernMeta, StdioProcess } from '../test/harness/process.ts';
import { median, table } from './measure.ts';

const rounds = Number(process.argv[2] ?? 7);
const TOKEN = 'a-token-for-the-benchmark-only';
const home = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  MILLRACE_HOME: join(home, 'home'),
  MILLRACE_LOG_LEVEL: 'error',
  MILLRACE_TOKEN: TOKEN,
  MILLRACE_PORT: '0',
};

async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function coldStart(): Promise<void> {
  const server = new StdioProcess([LAUNCHER], env);
  await server.request('tools/list', { _meta: modernMeta({}) });
  await server.kill();
}

const oneTurn = () => execFileSync(process.execPath, [LAUNCHER, 'chat', '-m', 'What are my todos?'], { env, stdio: 'ignore' });

const starts: number[] = [];
const chats: number[] = [];
for (let round = 0; round < rounds; round++) {
  starts.push(await timed(coldStart));
  chats.push(await timed(oneTurn));
}

const server = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const post = async (path: string, body: object) =>
  (await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
const turn = () => post('/chat', { message: 'What are my todos?' });
const tool = () => post('/mcp/execute', { name: 'read_todos' });
for (let warm = 0; warm < 5; warm++) await Promise.all([turn(), tool()]);
const turns: number[] = [];
const tools: number[] = [];
for (let round = 0; round < 30; round++) {
  turns.push(await timed(turn));
  tools.push(await timed(tool));
}
await server.stop();
rmSync(home, { recursive: true, force: true });

const ms = (value: number) => `${value.toFixed(1)} ms`;
process.stdout.write(
  table(
    ['figure', 'Millrace', 'baseline', 'ratio', 'at most'],
    [
      [
        '`millrace chat -m`, from start to end',
        ms(median(chats)),
        `${ms(median(starts))} (cold start)`,
        `${(median(chats) / median(starts)).toFixed(2)}×`,
        '2.5×',
      ],
      ['a turn over HTTP, once running', ms(median(turns)), `${ms(median(tools))} (its tool alone)`, '', '100 ms'],
      ["the agent's own share of it", ms(median(turns) - median(tools)), '', '', '30 ms'],
    ],
  ),
);
