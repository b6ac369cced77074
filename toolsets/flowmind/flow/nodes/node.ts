import { z } from 'zod';
import type { FlowCompiler } from '../compile.ts';
import type { Traits } from '../context.ts';
import type { Path, Position } from '../document.ts';
import type { Machine } from '../machine.ts';
import type { Preview, Previewed } from '../preview.ts';
import type { BlockFrame, Completion, Fiber, Frame } from '../state.ts';
import type { FlowNode, NodeFrame } from './registry.ts';

export interface NodeBase {
  /** Unique within its context: a name of the author's, or the path of the node. Saved sessions point at it. */
  id: string;
  position: Position;
}

const text = z.string().min(1);
const VARIABLE_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const threshold = z.number().min(0).max(1);
const named = { id: text.optional(), name: text.optional(), description: text.optional(), note: text.optional() };
const variable = z.string().regex(VARIABLE_NAME, 'must be a variable name: letters, digits and _');

export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}

/** What the fields of nodes are made of. */
export const field = {
  text,
  variable,
  threshold,
  /** An expression as text, or a literal. */
  expression: z.union([text, z.boolean(), z.number()]),
  values: z.record(z.string(), z.unknown()),
  duration: z.union([z.number().positive(), text]),
};

/** The variable that gets the result. */
export const stored = { store_result: variable.optional(), store_as: variable.optional(), output: variable.optional() };

export function storeOf(data: { [Key in keyof typeof stored]?: string | undefined }): string | undefined {
  return data.store_result ?? data.store_as ?? data.output;
}

/** What belongs to a condition in words. */
export const wording = {
  confidence_threshold: threshold.optional(),
  about: z.unknown().optional(),
  examples: z.union([z.array(text), z.strictObject({ holds: z.array(text).min(1), fails: z.array(text).default([]) })]).optional(),
};

/** How many steps a run takes, as far as that can be known before. */
export interface Steps {
  least: number;
  most: number;
}

export const NO_STEPS: Steps = { least: 0, most: 0 };
export const ONE_STEP: Steps = { least: 1, most: 1 };

export function inSequence(parts: readonly Steps[]): Steps {
  return parts.reduce((total, part) => ({ least: total.least + part.least, most: total.most + part.most }), NO_STEPS);
}

export function oneOf(parts: readonly Steps[]): Steps {
  return { least: Math.min(...parts.map((part) => part.least)), most: Math.max(...parts.map((part) => part.most)) };
}

export function repeated(body: Steps, least = 0): Steps {
  return { least, most: body.most > 0 ? Number.POSITIVE_INFINITY : 0 };
}

/** A fiber at a node: the frame that it is in, and the variables that it sees there. */
export interface Visit<Own extends Frame = BlockFrame> {
  machine: Machine;
  fiber: Fiber;
  frame: Own;
  variables: Record<string, unknown>;
}

/** Everything about one kind of node: how it is written, what it does, and what is shown of it. */
export interface NodeKind<
  Node extends NodeBase = FlowNode,
  Own extends NodeFrame = NodeFrame,
  Fields extends z.ZodRawShape = z.ZodRawShape,
> {
  /** The keys that a node of this kind is recognised by in a file; the first is its name. */
  keys: readonly [name: string, ...others: string[]];
  /** Keys that it is recognised by when no other kind is. */
  weakKeys?: readonly string[];
  /** Its row on the language page. */
  usage: string;
  summary: string;
  /** Its fields in a file. `body` is a list of nodes: checked separately, so that errors point at their own line. */
  fields(body: z.ZodType): Fields;
  compile(
    data: z.output<z.ZodObject<Fields & typeof named>>,
    compiler: FlowCompiler,
    path: Path,
    written: Readonly<Record<string, unknown>>,
  ): FlowNode | undefined;
  /** Does the node. One with bodies moves past itself and opens what is inside; others move on when their value is there. */
  run(node: Node, visit: Visit): void;
  /** Continues its frame after the block inside has ended. */
  resume?(node: Node, visit: Visit<Own>): void;
  /** An error or a return passes through its frame: true when it stops here. */
  intercept?(node: Node, visit: Visit<Own>, completion: Completion): boolean;
  /** Whether an error inside its frame would be caught. */
  catches?(node: Node, frame: Own, code: string): boolean;
  /** Every list of nodes directly inside. Saved sessions point at their positions in this list. */
  bodies?(node: Node): FlowNode[][];
  /** The contexts that it uses, as far as they are known before a run. */
  uses?(node: Node): string[];
  preview(node: Node, preview: Preview): Previewed | Promise<Previewed>;
  /** What it makes of the flow that it is in. */
  traits?(node: Node): Partial<Traits>;
  steps?(node: Node, stepsOf: (flow: readonly FlowNode[]) => Steps): Steps;
}

export function defineNode<Node extends NodeBase, Own extends NodeFrame, Fields extends z.ZodRawShape>(
  kind: NodeKind<Node, Own, Fields>,
): NodeKind<Node, Own, Fields> {
  return kind;
}

/** A node of this kind as it is written. */
export function shapeOf(kind: NodeKind, body: z.ZodType) {
  return z.strictObject({ ...named, ...kind.fields(body) });
}
