import { createRequire } from 'node:module';
import { join } from 'node:path';

// What n8n's packages export, as far as it is used here. They are not part of this repository, so their own types are not at hand.

export interface N8nWorkflow {
  nodes: Record<string, Record<string, unknown>>;
  staticData: Record<string, unknown>;
  timezone: string;
  expression: { acquireIsolate?(): Promise<unknown> };
  getNode(name: string): Record<string, unknown> | null;
  getStaticData(type: string, node?: unknown): Record<string, unknown>;
}

export interface N8nTaskData {
  startTime: number;
  executionIndex?: number;
  executionTime: number;
  executionStatus?: string;
  data?: Record<string, (Record<string, unknown>[] | null)[]>;
  error?: N8nError;
}

export interface N8nError {
  message: string;
  description?: string | null;
  node?: { name?: string };
}

export interface N8nRun {
  waitTill?: unknown;
  data: { resultData: { error?: N8nError; lastNodeExecuted?: string; runData: Record<string, N8nTaskData[]> } };
}

export interface WorkflowPackage {
  Workflow: new (parameters: Record<string, unknown>) => N8nWorkflow;
  WorkflowDataProxy: new (...parameters: unknown[]) => { getDataProxy(options?: unknown): Record<string, unknown> };
  NodeHelpers: { getVersionedNodeType(instance: unknown, version?: number): N8nNodeType };
  createRunExecutionData(options: Record<string, unknown>): Record<string, unknown>;
}

export interface N8nNodeType {
  description: Record<string, unknown> & { requestDefaults?: unknown };
  execute?(...parameters: unknown[]): Promise<unknown>;
  poll?: unknown;
  trigger?: unknown;
  webhook?: unknown;
  [key: string]: unknown;
}

export interface CorePackage {
  WorkflowExecute: new (
    additionalData: Record<string, unknown>,
    mode: string,
    data: unknown,
  ) => {
    processRunExecutionData(workflow: N8nWorkflow): Promise<N8nRun> & { cancel(): void };
  };
  ExecutionLifecycleHooks: new (
    mode: string,
    executionId: string,
    workflow: unknown,
  ) => {
    addHandler(hook: string, handler: (...parameters: never[]) => void | Promise<void>): void;
  };
  DataDeduplicationService?: { init(deduplicator: unknown): Promise<void> };
  RoutingNode: new (context: unknown, nodeType: N8nNodeType) => { runNode(): Promise<unknown> };
}

export interface Packages {
  folder: string;
  require: NodeJS.Require;
  workflow: WorkflowPackage;
  core: CorePackage;
}

export function packRequire(folder: string): NodeJS.Require {
  return createRequire(join(folder, 'package.json'));
}

/** Loads n8n's engine: most of a second, which is why processes are kept. */
export function loadPackages(folder: string): Packages {
  const require = packRequire(folder);
  require('reflect-metadata');
  return { folder, require, core: require('n8n-core') as CorePackage, workflow: require('n8n-workflow') as WorkflowPackage };
}
