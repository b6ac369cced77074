import type { Availability, Workflow } from '../document/workflow/model.ts';

export type Item = { json: Record<string, unknown>; [key: string]: unknown };

/** What a run starts with: items of the trigger, or items of several nodes by name. */
export interface RunInput {
  items?: Item[];
  pinned?: Record<string, Item[]>;
  /** The name or id of the trigger that the run begins with; a fitting one when left out. */
  trigger?: string;
}

export interface NodeRun {
  node: string;
  /** Where it came in the order of the run, from 0. */
  order: number;
  status: 'success' | 'error';
  executionTime: number;
  /** Items by output index of the main output; of the first other output for sub-nodes. */
  outputs: Item[][];
  /** How many items each output had, where more than are kept. */
  itemCounts?: number[];
  error?: { message: string; description?: string };
}

export interface RunResult {
  executionId: string;
  status: 'success' | 'error' | 'timeout' | 'cancelled';
  /** Every run of every node, in the order they ended; a node in a loop has several. */
  runs: NodeRun[];
  error?: { node: string | null; message: string; description?: string };
  logs: string[];
  executionTime: number;
  where: 'embedded' | 'instance';
  /** How an instance was made to run it: by its MCP server, by the route of its editor, or by a temporary webhook. */
  via?: 'mcp' | 'session' | 'webhook';
}

/** How one workflow names another that it calls: by id, with the name that the editor showed for it, or by the path of its file. */
export interface CalledName {
  id?: string;
  name?: string;
  path?: string;
}

/** The workflows that a workflow may call. */
export interface CallableWorkflows {
  /** Throws a Failure when there is none of that name, or it is outside of the workflow folders. */
  find(named: CalledName): Promise<Workflow>;
}

export interface RunOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** Left out, only workflows that are written into the calling node can be called. */
  callable?: CallableWorkflows;
}

/** Runs a workflow. A run that fails is a result; what cannot be run at all is a Failure. */
export interface Engine {
  ready(): Promise<Availability>;
  run(workflow: Workflow, input: RunInput, options: RunOptions): Promise<RunResult>;
}
