// The chat agent's figures: node bench/agent.ts [rounds]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, agentMigrations, type ChatModel, rulesModel } from '@millrace/agent';
import { Catalog, jsonReply } from '@millrace/kernel';
import { openStorage } from '@millrace/storage';
import { todoMigrations } from '@millrace/todo/migrations';
import { todoToolset } from '@millrace/todo/toolset';
import { OWNER } from '../test/harness/catalog.ts';
import { LAUNCHER } from '../test/harness/package.ts';
import { modernMeta, StdioProcess } from '../test/harness/process.ts';
import { median, percentile, table } from './measure.ts';

const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-agent-'));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  MILLRACE_HOME: join(folder, 'home'),
  MILLRACE_WORKSPACE: join(folder, 'workspace'),
  MILLRACE_LOG_LEVEL: 'error',
};

/** Time spent inside a function, added up. */
class Stopwatch {
  ms = 0;

  async around<Result>(work: () => PromiseLike<Result> | Result): Promise<Result> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.ms += performance.now() - started;
    }
  }

  reset(): void {
    this.ms = 0;
  }
}

function timedModel(inner: ChatModel, watch: Stopwatch): ChatModel {
  const model = inner.model as Exclude<ChatModel['model'], string> & { doStream(call: unknown): Promise<unknown> };
  return { ...inner, model: { ...model, doStream: (call: unknown) => watch.around(() => model.doStream(call)) } as ChatModel['model'] };
}

interface Shares {
  turn: number[];
  own: number[];
}

/** Turns over a real store: how long a person waits, and the part that is neither tools nor model. */
async function turns(): Promise<Shares> {
  const clock = { now: () => new Date() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const storage = await openStorage({ home: join(folder, 'turns'), clock, migrations: [...todoMigrations, ...agentMigrations] });
  const catalog = new Catalog(
    [todoToolset({ store: storage.store, clock })],
    {},
    {
      clock,
      log,
      auditLog: storage.audit,
      identity: { identify: () => OWNER },
      limiter: storage.limiter,
      unknownTool: (failure) => jsonReply({ error: failure.message }, true, failure),
      pendingCalls: storage.pendingCalls,
      jobs: storage.jobs,
    },
  );
  const tools = new Stopwatch();
  const model = new Stopwatch();
  const timeZone = 'UTC';
  const agent = new Agent({
    store: storage.store,
    catalog: {
      call: (name, parameters, origin) => tools.around(() => catalog.call(name, parameters, origin)),
      entries: () => catalog.entries(),
      find: (name) => catalog.find(name),
      toolsFor: (request, signal) => catalog.toolsFor(request, signal),
      program: catalog.program,
    },
    audit: storage.audit,
    chatModel: async () => timedModel(rulesModel({ timeZone, now: clock.now }), model),
    clock,
    log,
    instructions: '',
    timeZone,
  });
  const say = [
    'add buy milk tomorrow at 5pm',
    'show my todos',
    'make it urgent',
    'mark buy milk as done',
    'add eggs, butter and flour',
    'what is due this week?',
    'delete eggs',
    'undo',
    'mark the first one as done',
  ];
  const shares: Shares = { turn: [], own: [] };
  let conversation: string | undefined;
  for (let round = 0; round < rounds * 4 + 2; round++) {
    for (const message of say) {
      tools.reset();
      model.reset();
      const started = performance.now();
      conversation = (await agent.turn({ user: OWNER, conversation, message })).conversation;
      const whole = performance.now() - started;
      if (round < 2) continue;
      shares.turn.push(whole);
      shares.own.push(whole - tools.ms - model.ms);
    }
  }
  await agent.close();
  await storage.close();
  return shares;
}

async function coldStart(): Promise<number> {
  const started = performance.now();
  const server = new StdioProcess([LAUNCHER], env);
  await server.request('tools/list', { _meta: modernMeta({}) });
  const wall = performance.now() - started;
  await server.kill();
  return wall;
}

function chatOnce(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [LAUNCHER, 'chat', '-m', 'show my todos', '--json'], { env, stdio: 'ignore' });
    child.on('close', (code) => (code === 0 ? resolve(performance.now() - started) : reject(new Error(`chat ended with ${code}`))));
  });
}

const { turn, own } = await turns();
const starts: number[] = [];
const chats: number[] = [];
await coldStart();
await chatOnce();
for (let round = 0; round < rounds; round++) {
  starts.push(await coldStart());
  chats.push(await chatOnce());
}
rmSync(folder, { recursive: true, force: true });

const ms = (value: number) => `${value.toFixed(1)} ms`;
process.stdout.write(
  table(
    ['figure', 'median', '95 %', 'at most'],
    [
      ["the agent's own share of a turn (all but model and tools)", ms(median(own)), ms(percentile(own, 95)), '30 ms'],
      ['a turn without a language model, once running', ms(median(turn)), ms(percentile(turn, 95)), '100 ms'],
      ["the server's cold start to tools/list", ms(median(starts)), ms(percentile(starts, 95)), ''],
      ['millrace chat -m, from start to end', ms(median(chats)), ms(percentile(chats, 95)), `${ms(median(starts) * 2.5)} (2.5×)`],
      ['… as a ratio to the cold start', `${(median(chats) / median(starts)).toFixed(2)}×`, '', '2.5×'],
    ],
  ),
);
process.stdout.write(
  `\n${turn.length} turns of nine kinds over a real store with synchronous=FULL, each with its calls audited and journaled; ${rounds} starts of each process.\n`,
);
process.exit();
