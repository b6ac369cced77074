import type { Outline, Traits } from '../context.ts';
import { type AskNode, ask } from './ask.ts';
import { type CallNode, call } from './call.ts';
import { type CollectNode, collect } from './collect.ts';
import { type ForEachFrame, type ForEachNode, forEach } from './for-each.ts';
import { type IfNode, ifNode } from './if.ts';
import { type IncludeNode, include } from './include.ts';
import { type IncrementNode, increment } from './increment.ts';
import { inSequence, NO_STEPS, type NodeKind, type Steps } from './node.ts';
import { type ParallelFrame, type ParallelNode, parallel } from './parallel.ts';
import { type PersistNode, persist } from './persist.ts';
import { type RestoreNode, restore } from './restore.ts';
import { type ReturnNode, returnNode } from './return.ts';
import { type SetNode, set } from './set.ts';
import { type StepNode, step } from './step.ts';
import { type SwitchNode, switchNode } from './switch.ts';
import { type SwitchSemanticNode, switchSemantic } from './switch-semantic.ts';
import { type TryFrame, type TryNode, tryNode } from './try.ts';
import { type ValidateNode, validate } from './validate.ts';
import { type WhileFrame, type WhileNode, whileNode } from './while.ts';
import { type WorkflowNode, workflow } from './workflow.ts';

type StepLike = StepNode | AskNode | CallNode | WorkflowNode | IncludeNode;
type StateNode = SetNode | IncrementNode | CollectNode | PersistNode | RestoreNode | ValidateNode | ReturnNode;
type NestingNode = IfNode | SwitchNode | SwitchSemanticNode | WhileNode | ForEachNode | ParallelNode | TryNode;
export type FlowNode = StepLike | StateNode | NestingNode;

/** What is on a fiber's stack while it is inside a node. */
export type NodeFrame = WhileFrame | ForEachFrame | ParallelFrame | TryFrame;

type Kinds = { [Kind in FlowNode['kind']]: NodeKind<FlowNode & { kind: Kind }> };

/** Every kind of node, as the language page lists them. A node that has keys of several kinds is of the last of them. */
const KINDS: Kinds = {
  step,
  ask,
  call,
  set,
  increment,
  collect,
  if: ifNode,
  switch: switchNode,
  switch_semantic: switchSemantic,
  while: whileNode,
  for_each: forEach,
  parallel,
  try: tryNode,
  workflow,
  include,
  persist,
  restore,
  validate,
  return: returnNode,
};

export const NODE_KINDS: readonly NodeKind[] = Object.values(KINDS);
const RECOGNISED = NODE_KINDS.toReversed();

export function kindOf(node: FlowNode): NodeKind {
  return KINDS[node.kind];
}

/** The kind of a node as it is written. */
export function kindWritten(written: object): NodeKind | undefined {
  const hasKey = (key: string) => Object.hasOwn(written, key);
  return RECOGNISED.find(({ keys }) => keys.some(hasKey)) ?? RECOGNISED.find(({ weakKeys = [] }) => weakKeys.some(hasKey));
}

/** The table of the language page. */
export function nodeTable(): string {
  return ['| node | what it does |', '|---|---|', ...NODE_KINDS.map(({ usage, summary }) => `| ${usage} | ${summary} |`)].join('\n');
}

export function bodiesOf(node: FlowNode): FlowNode[][] {
  return kindOf(node).bodies?.(node) ?? [];
}

/** All nodes of a flow, outer ones first. */
export function* everyNode(flow: readonly FlowNode[]): Generator<FlowNode> {
  for (const node of flow) {
    yield node;
    for (const body of bodiesOf(node)) yield* everyNode(body);
  }
}

function stepsOf(flow: readonly FlowNode[]): Steps {
  return inSequence(flow.map((node) => kindOf(node).steps?.(node, stepsOf) ?? NO_STEPS));
}

/** What running a flow will be like; functions count where they could loop or branch. */
export function outlineOf(flow: readonly FlowNode[], functions: readonly FlowNode[]): Outline {
  const { least, most } = stepsOf(flow);
  const own = [...everyNode(flow)];
  const all = [...own, ...everyNode(functions)];
  const has = (nodes: readonly FlowNode[], trait: keyof Traits) => nodes.some((node) => kindOf(node).traits?.(node)[trait]);
  return {
    steps: { least, ...(Number.isFinite(most) && { most }) },
    loops: has(all, 'loops'),
    branches: has(all, 'branches'),
    judges: has(own, 'judges'),
  };
}
