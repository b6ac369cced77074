import type { Workflow, WorkflowNode } from './workflow/model.ts';

/** Whether something that comes with the engine pack can be used. */
export type Availability = { available: true; version: string } | { available: false; reason: string };

/** What n8n says about one version of a node type; the fields that the tools look at. */
export interface NodeDescription {
  /** The full type, as it stands in a file: `n8n-nodes-base.set`. */
  type: string;
  version: number;
  displayName: string;
  description: string;
  group: readonly string[];
  categories: readonly string[];
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

/** One input or output of a node as it stands, with its expressions resolved. */
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
  /** The one type that goes by a name such as "HTTP Request", in whatever case. */
  named?(written: string): string | undefined;
  /** Full types that resemble what was written, the closest first. */
  nearest(written: string, most?: number): string[];
  /** The parameters that n8n's editor would save for a new node with these parameters given. */
  defaultParameters(type: string, version: number, given: Record<string, unknown>): Record<string, unknown>;
  /** Whether a parameter of this version may have this value, as far as its kind and options tell. */
  accepts?(type: string, version: number, parameter: string, value: unknown): boolean;
  /** Undefined when the type or version is not known. */
  inputsOf(node: WorkflowNode, workflow: Workflow): NodePort[] | undefined;
  outputsOf(node: WorkflowNode, workflow: Workflow): NodePort[] | undefined;
}

export interface Finding {
  code: string;
  /** The node's name, or null when the finding is about the workflow. */
  node: string | null;
  /** Where in the file, as in `nodes[2].parameters.url`. */
  path: string;
  message: string;
  fix: string;
}

export interface Validation {
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
}

export interface Validator {
  validate(workflow: Workflow): Promise<Validation>;
}

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
  /** The node that failed and why. */
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
  close(): Promise<void>;
}

/** What a search for nodes asks; filters that are given together all apply. */
export interface NodeQuery {
  category?: string | undefined;
  keyword?: string | undefined;
  functionality?: string | undefined;
  limit: number;
  offset: number;
}

export interface FoundNode {
  /** The type that node_add takes. */
  id: string;
  name: string;
  description: string;
  /** The parameters that matter, each in a few words: its type, values and when it applies. */
  parameters: Record<string, string>;
  categories: string[];
}

export interface NodeFinder {
  /** One page of the matches, the best first, and how many there are. Throws Failure('unavailable') without a pack. */
  find(query: NodeQuery): Promise<{ count: number; nodes: FoundNode[] }>;
}

/** A run as it is kept. */
export interface KeptRun {
  executionId: string;
  workflowId: string;
  /** When it ended. */
  at: string;
  status: RunResult['status'];
  executionTime: number;
  where: RunResult['where'];
  result?: RunResult;
}

/** The last runs of test_workflow. */
export interface RunHistory {
  keep(workflowId: string, result: RunResult): Promise<void>;
  /** The newest first; of one workflow, or of all. */
  list(options: { workflowId?: string; limit: number; includeData: boolean }): Promise<KeptRun[]>;
}
