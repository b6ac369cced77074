import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { LAUNCHER } from '../harness/package.ts';
import { type Answer, cleanEnvironment, HttpProcess, modernRequest, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';

/** 10,000 in CI; fewer here, so that npm test stays short. */
const CALLS = Number(process.env.SOAK_CALLS ?? 1500);
/** In seconds: what the steps of the timer alone give where nothing else runs. */
const IDLE_DELAY = 0.02;
const TOKEN = 'a-token-for-the-soak-of-a-shared-home';

interface Tally {
  answered: number;
  created: string[];
  failures: string[];
}

/** What an idle process on this machine sees of the same delay: more than its timer's own steps is the machine's, not the server's. */
class IdleProcess {
  readonly #child = spawn(
    process.execPath,
    [
      '-e',
      `const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });
       delay.enable();
       process.stdin.on('end', () => process.stdout.write(String(delay.percentile(99) / 1e9))).resume();`,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );

  async delay(): Promise<number> {
    const [printed] = await Promise.all([once(this.#child.stdout, 'data'), this.#child.stdin.end()]);
    return Number(String(printed[0]));
  }
}

type CallTool = (name: string, parameters: object) => Promise<Answer>;

/** One client's share: mostly writes, so that the processes get into each other's way. */
async function oneCall(call: CallTool, number: number, tally: Tally): Promise<void> {
  const writes = number % 3 !== 0;
  const { result, error } = writes ? await call('create_todo', { title: `todo ${number}` }) : await call('read_todos', { limit: 5 });
  if (error) return;
  tally.answered += 1;
  const reply = (result as { structuredContent: { success: boolean; error: string; todo?: { id: string } } }).structuredContent;
  if (!reply.success) tally.failures.push(reply.error);
  if (reply.todo) tally.created.push(reply.todo.id);
}

verifies(
  ['kernel-shared-home', 'kernel-kill-nothing-lost'],
  `three stdio servers and an HTTP server share one home over ${CALLS} calls and random kills`,
  async () => {
    using folder = temporaryFolder();
    const env = cleanEnvironment(folder.path, { MILLRACE_TOKEN: TOKEN, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'todo' });
    const start = () => new StdioProcess([LAUNCHER], env);
    const servers = [start(), start(), start()];
    const http = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
    const idle = new IdleProcess();
    const tally: Tally = { answered: 0, created: [], failures: [] };
    let stderr = '';
    let next = 0;
    const overStdio = async (slot: number) => {
      while (next < CALLS) {
        const number = next++;
        const server = servers[slot] as StdioProcess;
        await oneCall((name, parameters) => server.callTool(name, parameters, {}, {}), number, tally);
        if (number % 211 !== 17) continue;
        await server.kill();
        stderr += server.stderr;
        servers[slot] = start();
      }
    };
    const overHttp = async () => {
      while (next < CALLS)
        await oneCall(
          async (name, parameters) => (await modernRequest(http.url, TOKEN, 'tools/call', { name, arguments: parameters }, {})).body,
          next++,
          tally,
        );
    };
    await Promise.all([...servers.flatMap((_, slot) => [overStdio(slot), overStdio(slot)]), overHttp(), overHttp()]);
    const metrics = await (await fetch(`${http.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
    const idleLag = await idle.delay();
    await Promise.all([...servers.map((server) => server.close()), http.stop()]);
    stderr += servers.map((server) => server.stderr).join('') + http.stderr;

    expect(tally.failures).toEqual([]);
    expect(stderr).not.toContain('SQLITE_BUSY');
    const lag = Number(/nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/.exec(metrics)?.[1]);
    const starved = Math.max(0, idleLag - IDLE_DELAY);
    expect(lag, `event-loop delay, p99, in seconds; an idle process had ${idleLag}`).toBeLessThan(0.1 + starved);
    const todos = new Database(join(env.MILLRACE_HOME as string, 'millrace.db'), { readonly: true });
    const stored = new Set((todos.prepare('SELECT id FROM todos').all() as { id: string }[]).map((row) => row.id));
    expect(tally.created.filter((id) => !stored.has(id))).toEqual([]);
    expect(todos.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const audit = new Database(join(env.MILLRACE_HOME as string, 'audit.db'), { readonly: true });
    const { rows } = audit.prepare('SELECT count(*) AS rows FROM tool_invocations').get() as { rows: number };
    const killed = CALLS - tally.answered;
    expect(rows).toBeGreaterThanOrEqual(tally.answered);
    // A call that was killed between its audit row and its answer has a row too, and nothing else has.
    expect(rows).toBeLessThanOrEqual(tally.answered + killed);
    todos.close();
    audit.close();
  },
  600_000,
);
