/**
 * Programs that are ended in every way while the embedding model runs, at a random moment, round after round under load.
 * `node test/native/native-rounds.ts [rounds]` runs it by hand.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../harness/process.ts';
import { endings } from './endings.ts';
import { Lane } from './lane.ts';

/** Side by side, so that there is always more to do than there are cores. */
const LANES = 4;
const MOST_MS = 3_000;

export interface NativeReport {
  /** How often each ending was tried. */
  rounds: Record<string, number>;
  /** The longest time from the request to end until the process was gone. */
  slowestMs: number;
  /** What should not be: empty when all is well. */
  findings: string[];
}

export async function nativeRounds(rounds: number): Promise<NativeReport> {
  const report: NativeReport = { rounds: {}, slowestMs: 0, findings: [] };
  const queue = Array.from({ length: rounds }, (_, round) => round).values();
  const burners = Array.from({ length: Math.ceil(availableParallelism() / 2) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    await Promise.all(Array.from({ length: LANES }, () => runLane(queue, report)));
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
  }
  return report;
}

async function runLane(queue: Iterable<number>, report: NativeReport): Promise<void> {
  using folder = temporaryFolder();
  const lane = new Lane(folder.path);
  for (const round of queue) {
    const [name, ending] = endings[round % endings.length] as (typeof endings)[number];
    lane.writeDocuments(round);
    const { ended, problems } = await ending(lane);
    if (ended.ms > MOST_MS) problems.push(`it took ${Math.round(ended.ms)} ms to end`);
    problems.push(...complaintsOf(ended.stderr), ...(await leftProcesses(lane)), ...lane.damage());
    report.rounds[name] = (report.rounds[name] ?? 0) + 1;
    report.slowestMs = Math.max(report.slowestMs, ended.ms);
    report.findings.push(...problems.map((problem) => `round ${round}, ${name}: ${problem}`));
  }
}

function complaintsOf(stderr: string): string[] {
  const abort = /terminate called|Napi::Error|FATAL ERROR|Assertion|Segmentation|unhandled|Error: /i.exec(stderr);
  return abort ? [`stderr: ${stderr.slice(Math.max(0, abort.index - 200), abort.index + 500)}`] : [];
}

/** Every process of a lane has ended a moment after the one that started it. */
async function leftProcesses(lane: Lane): Promise<string[]> {
  for (let tries = 0; tries < 40; tries++) {
    if (lane.processes().length === 0) return [];
    await sleep(50);
  }
  return [`processes are left: ${lane.processes().join(', ')}`];
}

if (import.meta.main) {
  const started = performance.now();
  const report = await nativeRounds(Number(process.argv[2] ?? 10));
  process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round((performance.now() - started) / 1000) }, null, 2)}\n`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}
