/**
 * Servers that share one home, killed with SIGKILL at a random moment, round after round; then a look at what is left.
 * `node test/kill/kill-rounds.ts [rounds]` runs it by hand.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LAUNCHER, setup } from '../harness/package.ts';
import { cleanEnvironment, StdioProcess, temporaryFolder } from '../harness/process.ts';

const SERVERS = 2;
const MAX_LIFE_MS = 250;
const BATCH = 3;

export interface KillReport {
  rounds: number;
  /** Calls that were answered before the kills. */
  acknowledged: number;
  todos: number;
  auditRows: number;
  /** What should not be: empty when all is well. */
  findings: string[];
}

interface Todo {
  title: string;
  description: string | null;
  status: string;
}

interface Count {
  status: string;
  count: number;
}

interface Row {
  tool_name: string;
  parameters: string;
  status: string;
}

export async function killRounds(rounds: number): Promise<KillReport> {
  using folder = temporaryFolder();
  const env = cleanEnvironment(folder.path, { MILLRACE_TOOLSETS: 'todo', MILLRACE_RATE_LIMITS: 'off' });
  const acknowledged: string[] = [];
  const findings: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lives = await Promise.all(Array.from({ length: SERVERS }, (_, server) => liveAndDie(env, `r${round}s${server}`)));
    for (const life of lives) {
      acknowledged.push(...life.acknowledged);
      findings.push(...life.complaints);
    }
  }
  return { rounds, acknowledged: acknowledged.length, ...inspect(env.MILLRACE_HOME as string, acknowledged, findings) };
}

interface Life {
  acknowledged: string[];
  complaints: string[];
}

/** Lets a server work for a random while from its first answer on, then kills it. */
async function liveAndDie(env: Record<string, string>, name: string): Promise<Life> {
  const server = new StdioProcess([LAUNCHER], env);
  const life: Life = { acknowledged: [], complaints: [] };
  let killed = false;
  const kill = () => {
    killed = true;
    server.child.kill('SIGKILL');
  };
  await writeUntilDeath(server, name, (line) => {
    if (life.acknowledged.length === 0) setTimeout(kill, Math.random() * MAX_LIFE_MS);
    life.acknowledged.push(line);
  }).catch((error: Error) => {
    if (!killed) life.complaints.push(`${name}: ${error.message}`);
  });
  await server.kill();
  return life;
}

/** What is answered is acknowledged; the first call without an answer ends it. */
async function writeUntilDeath(server: StdioProcess, name: string, acknowledge: (line: string) => void): Promise<never> {
  const call = async (what: string, tool: string, parameters: object): Promise<{ todo: { id: string } }> => {
    const { result, error } = await server.callTool(tool, parameters, {}, {});
    if (!result || result.isError) throw new Error(`${tool}: ${error?.message ?? JSON.stringify(result)}`);
    acknowledge(what);
    return result.structuredContent as { todo: { id: string } };
  };
  for (let number = 0; ; number += 1) {
    const title = `${name}-${number}`;
    const { todo } = await call(`created ${title}`, 'create_todo', { title });
    await call(`described ${title}`, 'update_todo', { id: todo.id, description: title, status: 'completed' });
    await call(`batch ${title}`, 'create_todos', { todos: ['a', 'b', 'c'].map((part) => ({ title: `${title}-${part}` })) });
    if (number % 2) await call(`deleted ${title}`, 'delete_todo', { id: todo.id });
  }
}

function inspect(home: string, acknowledged: string[], before: string[]): Omit<KillReport, 'rounds' | 'acknowledged'> {
  const findings = [...before];
  const data = new Database(join(home, 'millrace.db'));
  const audit = new Database(join(home, 'audit.db'));
  try {
    for (const database of [data, audit]) {
      const verdict = database.pragma('integrity_check', { simple: true });
      if (verdict !== 'ok') findings.push(`${database.name}: ${verdict}`);
    }
    const todos = data.prepare<[], Todo>('SELECT title, description, status FROM todos').all();
    const counts = data.prepare<[], Count>('SELECT status, count FROM todo_counts').all();
    const rows = audit.prepare<[], Row>('SELECT tool_name, parameters, status FROM tool_invocations').all();
    const byTitle = new Map(todos.map((todo) => [todo.title, todo]));
    findings.push(...missingTodos(acknowledged, byTitle), ...halfDone(byTitle), ...wrongCounts(todos, counts));
    findings.push(...missingRows(acknowledged, rows));
    return { todos: todos.length, auditRows: rows.length, findings };
  } finally {
    data.close();
    audit.close();
  }
}

function missingTodos(acknowledged: string[], todos: Map<string, Todo>): string[] {
  return acknowledged.flatMap((line) => {
    const [what, title = ''] = line.split(' ');
    if (what === 'batch')
      return ['a', 'b', 'c'].filter((part) => !todos.has(`${title}-${part}`)).map((part) => `${line}: ${part} is missing`);
    const todo = todos.get(title);
    if (!todo) return [`${line}: missing`];
    if (what === 'described' && todo.description !== title) return [`${line}: not described`];
    if (what === 'deleted' && todo.status !== 'archived') return [`${line}: still ${todo.status}`];
    return [];
  });
}

/** A change of two fields has both or none; a batch is there whole or not at all. */
function halfDone(todos: Map<string, Todo>): string[] {
  const batches = new Map<string, number>();
  const halves: string[] = [];
  for (const { title, description, status } of todos.values()) {
    const batch = /^(.*)-[abc]$/.exec(title)?.[1];
    if (batch) batches.set(batch, (batches.get(batch) ?? 0) + 1);
    else if ((description === title) !== (status !== 'open')) halves.push(`${title} is half changed`);
  }
  return [...halves, ...[...batches].filter(([, size]) => size !== BATCH).map(([title, size]) => `${title}: ${size} of ${BATCH}`)];
}

function wrongCounts(todos: Todo[], counts: Count[]): string[] {
  return counts.flatMap(({ status, count }) => {
    const real = todos.filter((todo) => todo.status === status).length;
    return real === count ? [] : [`${count} todos are counted as ${status}, there are ${real}`];
  });
}

/** Every answered call has its row. */
function missingRows(acknowledged: string[], rows: Row[]): string[] {
  const written = (tool: string) => rows.filter((row) => row.tool_name === tool && row.status === 'success').length;
  const answered = (what: string) => acknowledged.filter((line) => line.startsWith(`${what} `)).length;
  const titles = new Set(rows.filter((row) => row.tool_name === 'create_todo').map((row) => JSON.parse(row.parameters).title));
  const lost = acknowledged.filter((line) => line.startsWith('created ') && !titles.has(line.split(' ')[1]));
  const pairs = [
    ['described', 'update_todo'],
    ['batch', 'create_todos'],
    ['deleted', 'delete_todo'],
  ] as const;
  const short = pairs
    .filter(([what, tool]) => written(tool) < answered(what))
    .map(([what, tool]) => `${answered(what)} answers of ${tool}, ${written(tool)} rows`);
  return [...lost.map((line) => `${line}: no audit row`), ...short];
}

if (import.meta.main) {
  setup();
  const report = await killRounds(Number(process.argv[2] ?? 20));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}
