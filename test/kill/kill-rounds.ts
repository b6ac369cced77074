/**
 * Writers on one home, killed with SIGKILL at a random moment, round after round; then a look at what is left.
 * `node test/kill/kill-rounds.ts [rounds]` runs it by hand.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, SqliteStore } from '@millrace/storage';

const WRITERS = 2;
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

interface Tables {
  todos: Todo;
  todo_counts: { status: string; count: number };
  tool_invocations: { tool_name: string; parameters: string; status: string };
}

export async function killRounds(rounds: number): Promise<KillReport> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  try {
    const acknowledged: string[] = [];
    const findings: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const lives = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => liveAndDie(home, `r${round}w${writer}`)));
      for (const life of lives) {
        acknowledged.push(...life.acknowledged);
        if (life.complaint) findings.push(life.complaint);
      }
    }
    return { rounds, acknowledged: acknowledged.length, ...(await inspect(home, acknowledged, findings)) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Lets a writer work for a random while from its first acknowledgement on, then kills it. */
function liveAndDie(home: string, name: string): Promise<{ acknowledged: string[]; complaint: string | undefined }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), home, name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => {
      if (output === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * MAX_LIFE_MS);
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      const died = signal === 'SIGKILL' ? undefined : `${name} ended by itself: ${complaint}`;
      // What follows the last line break was not fully said, so it was not acknowledged.
      resolve({ acknowledged: output.split('\n').slice(0, -1), complaint: died });
    });
  });
}

async function inspect(home: string, acknowledged: string[], before: string[]): Promise<Omit<KillReport, 'rounds' | 'acknowledged'>> {
  const findings = [...before];
  const data = new SqliteStore<Tables>(openSqlite({ path: join(home, 'millrace.db'), synchronous: 'FULL' }));
  const audit = new SqliteStore<Tables>(openSqlite({ path: join(home, 'audit.db'), synchronous: 'NORMAL' }));
  try {
    for (const { connection } of [data, audit]) {
      const verdict = connection.pragma('integrity_check', { simple: true });
      if (verdict !== 'ok') findings.push(`${connection.name}: ${verdict}`);
    }
    const todos = await data.db.selectFrom('todos').select(['title', 'description', 'status']).execute();
    const counts = await data.db.selectFrom('todo_counts').select(['status', 'count']).execute();
    const rows = await audit.db.selectFrom('tool_invocations').select(['tool_name', 'parameters', 'status']).execute();
    const byTitle = new Map(todos.map((todo) => [todo.title, todo]));
    findings.push(...missingTodos(acknowledged, byTitle), ...halfDone(byTitle), ...wrongCounts(todos, counts));
    findings.push(...missingRows(acknowledged, rows));
    return { todos: todos.length, auditRows: rows.length, findings };
  } finally {
    await data.close();
    await audit.close();
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

function wrongCounts(todos: Todo[], counts: Tables['todo_counts'][]): string[] {
  return counts.flatMap(({ status, count }) => {
    const real = todos.filter((todo) => todo.status === status).length;
    return real === count ? [] : [`${count} todos are counted as ${status}, there are ${real}`];
  });
}

/** Every answered call has its row. */
function missingRows(acknowledged: string[], rows: Tables['tool_invocations'][]): string[] {
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
  const report = await killRounds(Number(process.argv[2] ?? 20));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}
