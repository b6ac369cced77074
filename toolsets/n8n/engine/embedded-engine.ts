import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { EgressRules } from '@millrace/http';
import { Failure } from '@millrace/kernel';
import type { PackReader } from '../catalogue/pack/pack-reader.ts';
import type { Availability, Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { CallPlanner } from './calls.ts';
import { bestSandbox, type Level } from './confinement/sandbox.ts';
import type { CallableWorkflows, Engine, RunInput, RunOptions, RunResult } from './engine.ts';
import type { Obstacle } from './obstacles.ts';
import { planRun } from './plan.ts';
import type { Pools } from './pools.ts';
import { Run } from './run.ts';

export interface EngineLimits {
  /** Engine processes at once. */
  processes: number;
  /** Megabytes of memory of one process. */
  memoryMb: number;
  /** Milliseconds after which an unused process ends. */
  idleMs: number;
  /** More runs of nodes than this count as an endless loop. */
  mostNodeRuns: number;
}

const DEFAULT_LIMITS: EngineLimits = { processes: 2, memoryMb: 512, idleMs: 5 * 60_000, mostNodeRuns: 20_000 };

export interface Guards {
  /** Where workflows may send requests; everywhere when left out. */
  egress?: EgressRules;
  /** Whether workflows run at a level of confinement; at each when left out. */
  mayRun?(level: Level): Promise<boolean>;
}

/** n8n's own engine in processes of ours. */
export class EmbeddedEngine implements Engine {
  readonly #reader: PackReader;
  readonly #limits: EngineLimits;
  readonly #guards: Guards;
  #pools: Promise<Pools> | undefined;

  constructor(reader: PackReader, limits: Partial<EngineLimits> = {}, guards: Guards = {}) {
    this.#reader = reader;
    this.#guards = guards;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  ready(): Promise<Availability> {
    return this.#reader.availability({ toRun: true });
  }

  /** What of this run only an instance could do; empty when it can run here. */
  async obstacles(workflow: Workflow, input: RunInput, callable?: CallableWorkflows): Promise<Obstacle[]> {
    const pack = await this.#reader.open();
    if (!pack?.runs) return [];
    const { obstacles, executed } = planRun(pack, workflow, input);
    return [...obstacles, ...(await new CallPlanner(pack, callable).obstacles(executed))];
  }

  async run(workflow: Workflow, input: RunInput, { timeoutMs, signal, callable }: RunOptions): Promise<RunResult> {
    const pack = await this.#reader.open();
    if (!pack?.runs) throw this.#reader.missing('test_workflow');
    const { order, executed, obstacles, notes } = planRun(pack, workflow, input);
    const calls = new CallPlanner(pack, callable);
    const blocked = [...obstacles, ...(await calls.obstacles(executed))];
    if (blocked[0]) throw cannotRun(blocked[0], blocked);
    await this.#confined();
    const pools = await this.#open(realpathSync(pack.folder));
    if (executed.some(runsScripts)) pools.code.warm();
    const process = await pools.engine.take(signal);
    const run = new Run({
      process,
      codePool: pools.code,
      order: { ...order, executionId: randomUUID(), mostNodeRuns: this.#limits.mostNodeRuns },
      planCall: (request) => calls.plan(request),
      timeoutMs,
      signal,
    });
    try {
      const result = await run.result();
      return { ...result, logs: [...notes, ...result.logs, ...errorWorkflowNote(workflow, result)] };
    } finally {
      pools.engine.give(process);
    }
  }

  async close(): Promise<void> {
    const pools = await this.#pools;
    this.#pools = undefined;
    await Promise.all([pools?.engine.close(), pools?.code.close()]);
  }

  /** Refuses to run what others wrote where nothing would confine it. */
  async #confined(): Promise<void> {
    const { level, detail, fix } = await bestSandbox();
    if (this.#guards.mayRun === undefined || (await this.#guards.mayRun(level))) return;
    throw new Failure(
      'unavailable',
      `Workflows do not run on this server: several people use it, and they would be confined by ${detail}`,
      {
        fix: { instruction: `${fix}. Or, if you trust everyone who can call tools, set MILLRACE_N8N_UNCONFINED=on` },
      },
    );
  }

  #open(packFolder: string): Promise<Pools> {
    // Loaded with the first run: most starts never make one.
    this.#pools ??= import('./pools.ts').then(({ openPools }) => openPools(packFolder, this.#limits, this.#guards.egress));
    return this.#pools;
  }
}

function cannotRun(first: Obstacle, obstacles: Obstacle[]): Failure {
  const others = obstacles.length > 1 ? `, and ${obstacles.length - 1} more` : '';
  return new Failure('unavailable', `${JSON.stringify(first.node)} cannot run in the embedded engine: ${first.reason}${others}`, {
    details: { nodes: obstacles.map(({ node, reason }) => ({ node, reason })) },
    fix: {
      instruction: 'Pin what these nodes would return, or configure an instance with N8N_API_URL and N8N_API_KEY',
      example: {
        testData: { pinned: Object.fromEntries(obstacles.slice(0, 5).map(({ node, example }) => [node, [{ json: example ?? {} }]])) },
      },
    },
  });
}

function runsScripts({ type, parameters }: WorkflowNode): boolean {
  return type === 'n8n-nodes-base.code' || (type === 'n8n-nodes-base.merge' && parameters?.['mode'] === 'combineBySql');
}

/** n8n starts error workflows in production only. */
function errorWorkflowNote({ settings }: Workflow, { status }: RunResult): string[] {
  const named = settings?.['errorWorkflow'];
  if (status !== 'error' || typeof named !== 'string' || named === '' || named === 'DEFAULT') return [];
  return [`In production n8n would now start the error workflow ${JSON.stringify(named.slice(0, 100))}`];
}
