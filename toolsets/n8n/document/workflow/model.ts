/** One node of a workflow, as n8n's files spell it; unknown keys are kept. */
export interface WorkflowNode {
  id?: string;
  name: string;
  type: string;
  typeVersion?: number;
  position?: [number, number];
  parameters?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
  disabled?: boolean;
  onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
  [key: string]: unknown;
}

/** The end of a connection: the node's name, the kind of input and its index. */
export interface ConnectionTarget {
  node: string;
  type: string;
  index: number;
}

/** The targets of each output index; n8n writes null for an index that nothing is connected to. */
export type OutputSlots = (ConnectionTarget[] | null)[];

/** Keyed by the name of the source node, then by the kind of output (main, ai_tool, ...). */
export type Connections = Record<string, Record<string, OutputSlots>>;

export type PinnedItems = Record<string, unknown>[];

/** A workflow as n8n's files and its API spell it; unknown keys are kept. */
export interface Workflow {
  id?: string;
  name?: string;
  description?: string;
  active?: boolean;
  nodes: WorkflowNode[];
  connections: Connections;
  settings?: Record<string, unknown>;
  pinData?: Record<string, PinnedItems>;
  [key: string]: unknown;
}

/** The id as text; empty where there is none that can be used. */
export function idText(workflow: Workflow): string {
  const id: unknown = workflow.id;
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '';
}

export const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** Something wrong with a workflow, and how to fix it. */
export interface Finding {
  code: string;
  /** The node's name, or null when the finding is about the workflow. */
  node: string | null;
  /** Where in the file, as in `nodes[2].parameters.url`. */
  path: string;
  message: string;
  fix: string;
}
