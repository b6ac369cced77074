import type { Expression } from './expression.ts';

/** Where a node stands in its file. Lines and columns start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** A value as it is written in a file: a literal, a text with `${…}` in it, or an expression (`@…`); lists and objects of those. */
export type Value =
  | { kind: 'literal'; value: unknown }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'template'; parts: (string | Expression)[] }
  | { kind: 'list'; items: Value[] }
  | { kind: 'object'; entries: [string, Value][] };

/** Text with `${…}` in it. Values are put in as data: they are never read as a template or an expression again. */
export type Template = (string | Expression)[];

export type Condition =
  | { kind: 'expression'; expression: Expression; source: string }
  | SemanticCondition
  /** All of them must hold (`if` beside `and_semantic`). */
  | { kind: 'all'; of: Condition[] };

export interface SemanticCondition {
  kind: 'semantic';
  text: Template;
  /** The confidence below which a verdict counts as unknown. */
  threshold: number | undefined;
  /** What it is judged about; the session's latest message and variables when left out. */
  about: Value | undefined;
  /** Sentences for which it holds and does not hold. */
  examples: { holds: string[]; fails: string[] } | undefined;
}

interface NodeBase {
  /** Unique within its context; a name of the author's or the path of the node. */
  id: string;
  position: Position;
}

/** An instruction for the calling assistant, whose answer comes back. */
export interface StepNode extends NodeBase {
  kind: 'step';
  name: string;
  instruction: Template;
  /** Who to be, in words. */
  persona: Template | undefined;
  /** Who to be, as a context. */
  agent: string | undefined;
  deliverables: string[];
  successCriteria: string[];
  when: Condition | undefined;
  store: string | undefined;
}

/** A question for a person. */
export interface AskNode extends NodeBase {
  kind: 'ask';
  question: Template;
  answer: AnswerSpec;
  default: Value | undefined;
  store: string | undefined;
}

export interface AnswerSpec {
  type: 'string' | 'number' | 'integer' | 'boolean';
  options: string[] | undefined;
  required: boolean;
}

export interface CallNode extends NodeBase {
  kind: 'call';
  /** A tool of any toolset, or a function of this context. */
  target: { kind: 'tool'; name: string } | { kind: 'function'; name: string } | { kind: 'self'; maxDepth: number };
  with: [string, Value][];
  store: string | undefined;
}

export interface SetNode extends NodeBase {
  kind: 'set';
  assignments: [string, Value][];
}

export interface IncrementNode extends NodeBase {
  kind: 'increment';
  variable: string;
  by: Value;
}

/** Appends to a list. */
export interface CollectNode extends NodeBase {
  kind: 'collect';
  into: string;
  value: Value;
}

export interface IfNode extends NodeBase {
  kind: 'if';
  branches: { condition: Condition; body: FlowNode[] }[];
  otherwise: FlowNode[];
  /** Taken when a semantic condition stays unknown and nobody can be asked. */
  fallback: FlowNode[] | undefined;
}

export interface SwitchNode extends NodeBase {
  kind: 'switch';
  on: Expression;
  cases: { values: unknown[]; body: FlowNode[] }[];
  otherwise: FlowNode[];
}

export interface SwitchSemanticNode extends NodeBase {
  kind: 'switch_semantic';
  on: Value;
  cases: { condition: SemanticCondition; body: FlowNode[] }[];
  otherwise: FlowNode[];
  fallback: FlowNode[] | undefined;
}

export interface WhileNode extends NodeBase {
  kind: 'while';
  condition: Condition;
  /** `after` is do … while. */
  test: 'before' | 'after';
  maxIterations: number;
  timeoutMs: number | undefined;
  body: FlowNode[];
}

export interface ForEachNode extends NodeBase {
  kind: 'for_each';
  item: string;
  list: Expression;
  where: Condition | undefined;
  body: FlowNode[];
}

export interface ParallelNode extends NodeBase {
  kind: 'parallel';
  tasks: { name: string; body: FlowNode[] }[];
  maxConcurrency: number;
  /** The variable that gets the results by task name. */
  collectResults: string | undefined;
  waitFor: 'all' | 'any' | number;
}

export interface TryNode extends NodeBase {
  kind: 'try';
  body: FlowNode[];
  /** `error` is a code such as not_found or timeout; undefined catches everything. */
  catches: { error: string | undefined; body: FlowNode[] }[];
  finally: FlowNode[];
}

/** Runs another context and comes back with its output. */
export interface WorkflowNode extends NodeBase {
  kind: 'workflow';
  uri: Template;
  with: [string, Value][];
  store: string | undefined;
}

/** Runs another context's flow in place, with the same variables. */
export interface IncludeNode extends NodeBase {
  kind: 'include';
  uri: string;
}

export interface PersistNode extends NodeBase {
  kind: 'persist';
  key: Template;
  value: Value;
  ttlMs: number | undefined;
}

export interface RestoreNode extends NodeBase {
  kind: 'restore';
  key: Template;
  store: string;
}

export interface ValidateNode extends NodeBase {
  kind: 'validate';
  rules: { condition: Expression; message: Template }[];
}

export interface ReturnNode extends NodeBase {
  kind: 'return';
  value: Value;
}

export type FlowNode =
  | StepNode
  | AskNode
  | CallNode
  | SetNode
  | IncrementNode
  | CollectNode
  | IfNode
  | SwitchNode
  | SwitchSemanticNode
  | WhileNode
  | ForEachNode
  | ParallelNode
  | TryNode
  | WorkflowNode
  | IncludeNode
  | PersistNode
  | RestoreNode
  | ValidateNode
  | ReturnNode;

/** Every list of nodes directly inside a node, for walks over a flow. */
export function bodiesOf(node: FlowNode): FlowNode[][] {
  switch (node.kind) {
    case 'if':
      return [...node.branches.map((branch) => branch.body), node.otherwise, ...(node.fallback ? [node.fallback] : [])];
    case 'switch':
      return [...node.cases.map((each) => each.body), node.otherwise];
    case 'switch_semantic':
      return [...node.cases.map((each) => each.body), node.otherwise, ...(node.fallback ? [node.fallback] : [])];
    case 'while':
    case 'for_each':
      return [node.body];
    case 'parallel':
      return node.tasks.map((task) => task.body);
    case 'try':
      return [node.body, ...node.catches.map((each) => each.body), node.finally];
    default:
      return [];
  }
}

/** All nodes of a flow, outer ones first. */
export function* everyNode(flow: readonly FlowNode[]): Generator<FlowNode> {
  for (const node of flow) {
    yield node;
    for (const body of bodiesOf(node)) yield* everyNode(body);
  }
}
