import type { Item, NodeRun, RunResult } from './engine.ts';

export interface WorkflowOrder {
  workflow: {
    id: string;
    name: string;
    nodes: Record<string, unknown>[];
    connections: Record<string, unknown>;
    settings: Record<string, unknown>;
    staticData?: Record<string, unknown>;
  };
  /** The node that the run begins with, and what comes into it. */
  start: { node: string; items: Item[] };
  pinned: Record<string, Item[]>;
  /** Descriptions of types that are not run here, but stand in the workflow. */
  descriptions: Record<string, unknown>;
}

export interface RunOrder extends WorkflowOrder {
  executionId: string;
  /** More runs of nodes than this count as an endless loop. */
  mostNodeRuns: number;
}

export type RunError = NonNullable<RunResult['error']>;

/** A Code node's script and all that it can ask about. */
export interface CodeTask {
  code: string;
  nodeMode: 'runOnceForAllItems' | 'runOnceForEachItem' | 'runCode';
  continueOnFail: boolean;
  chunk?: { startIndex: number; count: number };
  additionalProperties: Record<string, unknown>;
  workflow: WorkflowOrder['workflow'];
  node: Record<string, unknown>;
  runExecutionData: unknown;
  runIndex: number;
  itemIndex: number;
  items: Item[];
  mode: string;
  executeData: unknown;
  executionId: string;
  timezone: string;
}

export type CodeOutcome =
  | { ok: true; result: unknown; staticData?: Record<string, unknown>; customData?: Record<string, string>; logs: string[] }
  | { ok: false; error: { message: string; description?: string; stack?: string; lineNumber?: number }; logs: string[] };

/** What came of something that n8n does for a script. */
export type HelperOutcome = { ok: true; value: unknown } | { ok: false; error: { message: string; [detail: string]: unknown } };

/** Something that a script asks n8n to do: `helpers.httpRequest(...)`. */
export interface HelperRequest {
  /** The script that asks, and the number of its question. */
  task: number;
  call: number;
  name: string;
  parameters: unknown[];
}

/** A workflow that a running one calls: by what its node names, or as it is written there. */
export interface CallRequest {
  id?: unknown;
  /** What the editor showed for the id. */
  name?: string;
  written?: unknown;
}

export type CallAnswer = { ok: true; order: WorkflowOrder } | { ok: false; message: string; description?: string };

export type ToEngine =
  | { kind: 'run'; order: RunOrder }
  | { kind: 'code-done'; task: number; outcome: CodeOutcome }
  | ({ kind: 'helper' } & HelperRequest)
  | { kind: 'call-planned'; task: number; answer: CallAnswer };

export type FromEngine =
  | { kind: 'node'; executionId: string; run: NodeRun }
  | { kind: 'log'; executionId: string; line: string }
  | { kind: 'code'; executionId: string; task: number; code: CodeTask }
  | { kind: 'helper-done'; executionId: string; task: number; call: number; outcome: HelperOutcome }
  | { kind: 'call'; executionId: string; task: number; request: CallRequest }
  | { kind: 'done'; executionId: string; status: 'success' | 'error'; error?: RunError; executionTime: number };

export type ToCode = { kind: 'code'; task: number; code: CodeTask } | { kind: 'helper-done'; call: number; outcome: HelperOutcome };
export type FromCode = { kind: 'done'; task: number; outcome: CodeOutcome } | ({ kind: 'helper' } & HelperRequest);

/** Questions that a process asks whoever started it, each answered by a message with its number. */
export class Requests<Answer> {
  readonly #open = new Map<number, (answer: Answer) => void>();
  #last = 0;

  ask(send: (task: number) => void): Promise<Answer> {
    return new Promise((resolve) => {
      const task = ++this.#last;
      this.#open.set(task, resolve);
      send(task);
    });
  }

  answer(task: number, answer: Answer): void {
    this.#open.get(task)?.(answer);
    this.#open.delete(task);
  }
}

/** What a script can ask n8n to do, which its engine does: its own process has neither the network nor the binary data. */
export const HELPERS =
  'assertBinaryData getBinaryDataBuffer prepareBinaryData setBinaryDataBuffer binaryToString httpRequest request'.split(' ');

export function isHelper(name: string): boolean {
  return HELPERS.includes(name);
}
