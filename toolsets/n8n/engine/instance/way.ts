import type { OpenedPack } from '../../pack/opened-pack.ts';
import type { RunInput, RunResult } from '../../ports.ts';
import type { RemoteExecution } from '../../remote/client.ts';
import type { Workflow } from '../../workflow/model.ts';

/** What a way of running on an instance is given. */
export interface InstanceRun {
  workflow: Workflow;
  input: RunInput;
  pack: OpenedPack | undefined;
  timeoutMs: number;
  /** Ends with the caller's patience or the time limit. */
  limit: AbortSignal;
  /** Ends with the caller's patience alone: what was begun may still be cleaned up. */
  signal: AbortSignal;
}

/** What came of it: the execution, and nodes of ours that are no part of the workflow. */
export interface InstanceOutcome {
  execution: RemoteExecution;
  helper?: string;
}

/** One way of running a workflow on an instance, whose public API has none. */
export interface InstanceWay {
  readonly name: NonNullable<RunResult['via']>;
  /** In words: "the instance's MCP server". */
  readonly title: string;
  /** Throws NotThisWay when the instance does not offer it; any other failure is the run's. */
  run(run: InstanceRun): Promise<InstanceOutcome>;
}

/** The instance does not offer this way, and another may do. */
export class NotThisWay extends Error {}
