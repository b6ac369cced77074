import { brief, Failure } from '@millrace/kernel';
import { z } from 'zod';

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

/** Something wrong with a workflow, and how to fix it. The node is null when it is about the workflow; a path is `nodes[2].parameters.url`. */
export const finding = brief(
  z.object({ code: z.string(), node: z.string().nullable(), path: z.string(), message: z.string(), fix: z.string() }),
);
export type Finding = z.output<typeof finding>;

/** Whether something that comes with the engine pack can be used. */
export type Availability = { available: true; version: string } | { available: false; reason: string };

/** What to say when something needs the engine pack and it is not there. */
export function engineMissing(what: string, missing: Extract<Availability, { available: false }>): Failure {
  return new Failure('unavailable', `${what} needs the n8n engine pack: ${missing.reason}`, {
    fix: { instruction: 'Install it', command: 'engine add n8n' },
  });
}

/** What n8n says about one version of a node type; the fields that the tools look at. */
export interface NodeDescription {
  /** The full type, as it stands in a file: `n8n-nodes-base.set`. */
  type: string;
  version: number;
  /** The name that a new node of this type gets, unless it is taken. */
  defaultName: string;
  trigger: boolean;
  /** Names of the top-level parameters of this version. */
  parameterNames: readonly string[];
  credentials: readonly { name: string; required: boolean }[];
  /** It is called from outside: a node of it has an id of its own for that. */
  webhook?: boolean;
  /** How many nodes of this type one workflow may have. */
  maxNodes?: number;
}

/** One input or output of a node with its current parameters. */
export interface NodePort {
  /** main, ai_tool, ai_languageModel, ... */
  type: string;
  /** The index among the ports of its type: what a connection stores. */
  index: number;
  /** What a person calls it: true, false, a switch rule's name, error, done, loop. Equal to the type where it has no name. */
  name: string;
  required?: boolean;
  maxConnections?: number;
}

/** The nodes that a workflow can be made of, read from the engine pack or from an instance. */
export interface NodeCatalogue {
  /** Loads what is needed; cheap when it is loaded. Until it says available, everything below answers undefined or nothing. */
  ready(): Promise<Availability>;
  get(type: string, version?: number): NodeDescription | undefined;
  newestVersion(type: string): number | undefined;
  /** The one type with a name such as "HTTP Request", in any case. */
  named?(written: string): string | undefined;
  /** Full types that resemble what was written, the closest first. */
  nearest(written: string, most?: number): string[];
  /** The parameters that n8n's editor would save for a new node with these parameters given. */
  defaultParameters(type: string, version: number, given: Record<string, unknown>): Record<string, unknown>;
  /** Whether a parameter of this version may have this value, as far as its kind and options tell. */
  accepts?(type: string, version: number, parameter: string, value: unknown): boolean;
  /** Undefined when the type or version is not known. */
  inputsOf(node: WorkflowNode): NodePort[] | undefined;
  outputsOf(node: WorkflowNode): NodePort[] | undefined;
}
