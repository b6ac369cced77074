import { Failure } from '@millrace/kernel';
import { ExpressionSyntaxError } from '../language/expression.ts';
import type { Visit } from './nodes/node.ts';
import { type FlowNode, kindOf, type NodeFrame } from './nodes/registry.ts';
import type { Program } from './program.ts';
import type {
  BlockFrame,
  Completion,
  EffectRequest,
  Event,
  Fiber,
  FlowError,
  Frame,
  Limit,
  Scope,
  ScopeFrame,
  SessionState,
  ToolTraits,
  Wait,
} from './state.ts';

export interface MachinePorts {
  /** A pinned definition; undefined while it is not loaded yet, null when there is none. */
  program(uri: string): Program | null | undefined;
  tool(name: string): ToolTraits | undefined;
  now(): Date;
  hasModel: boolean;
  questionTtlMs: number;
}

/** A question before it is asked. */
type Asked = Omit<Wait, 'id' | 'expiresAt' | 'audience'> & Partial<Pick<Wait, 'audience'>>;

const MAX_DEPTH = 50;
const MAX_CLOSED = 500;

/**
 * Runs a session's fibers over plain JSON, without waiting for anything: until each has finished, needs something from
 * outside (an effect) or needs an answer (a wait). The result is handed in, and it continues.
 */
export class Machine {
  readonly state: SessionState;
  readonly ports: MachinePorts;
  readonly events: Event[] = [];
  /** What persist_state wrote: stored together with the state. */
  readonly writes: { key: string; value: unknown; expiresAt: string | null }[] = [];

  constructor(state: SessionState, ports: MachinePorts) {
    this.state = state;
    this.ports = ports;
  }

  /** Runs until nothing is ready, or until `fuel` nodes are done. Returns whether anything is still ready. */
  advance(fuel: number): boolean {
    let left = fuel;
    for (;;) {
      const fiber = this.state.hold ? undefined : this.state.fibers.find((each) => each.status === 'ready');
      if (!fiber) return false;
      while (fiber.status === 'ready' && !this.state.hold) {
        if (left-- <= 0) return true;
        this.#step(fiber);
      }
    }
  }

  #step(fiber: Fiber): void {
    const frame = fiber.stack.at(-1);
    try {
      if (!frame) this.#end(fiber);
      else if (frame.kind === 'scope') this.leave(fiber, frame, this.scope(frame).variables['previous_result'] ?? null);
      else if (frame.kind === 'block') this.#run(fiber, frame);
      else {
        const node = this.#nodeOf(frame);
        kindOf(node).resume?.(node, this.#visit(fiber, frame));
      }
    } catch (error) {
      this.raise(fiber, flowError(error, this.currentNode(fiber)?.id ?? ''));
    }
  }

  #run(fiber: Fiber, frame: BlockFrame): void {
    const node = this.program(frame.uri).block(frame.block)[frame.index];
    if (node) kindOf(node).run(node, this.#visit(fiber, frame));
    else fiber.stack.pop();
  }

  #visit<Own extends Frame>(fiber: Fiber, frame: Own): Visit<Own> {
    return { machine: this, fiber, frame, variables: this.scope(frame).variables };
  }

  #nodeOf(frame: NodeFrame): FlowNode {
    return this.program(frame.uri).node(frame.node);
  }

  program(uri: string): Program {
    const program = this.ports.program(uri);
    if (!program) throw new Error(`${uri} is not loaded`);
    return program;
  }

  scope(frame: { scope: string }): Scope {
    const scope = this.state.scopes[frame.scope];
    if (!scope) throw new Error(`there is no scope ${frame.scope}`);
    return scope;
  }

  /** The innermost block of a fiber: where its next node is. */
  block(fiber: Fiber): BlockFrame {
    const frame = fiber.stack.at(-1);
    if (frame?.kind !== 'block') throw new Error(`fiber ${fiber.id} is not in a block`);
    return frame;
  }

  currentNode(fiber: Fiber): FlowNode | undefined {
    const frame = fiber.stack.at(-1);
    if (!frame || frame.kind === 'scope') return undefined;
    const program = this.ports.program(frame.uri);
    return frame.kind === 'block' ? program?.block(frame.block)[frame.index] : program?.node(frame.node);
  }

  nextId(prefix: string): string {
    this.state.counter++;
    return `${prefix}${this.state.counter}`;
  }

  note(kind: string, node: string, data: Record<string, unknown> = {}): void {
    this.events.push({ kind, node, data });
  }

  /** The fiber's node is done; its value is stored as previous_result and under its own name. */
  deliver(fiber: Fiber, value: unknown, store = this.#storeOf(fiber)): void {
    const { variables } = this.scope(this.block(fiber));
    variables['previous_result'] = value;
    if (store) variables[store] = value;
    // A task without a return answers with its last value.
    if (fiber.task) fiber.result = value;
    this.next(fiber);
  }

  #storeOf(fiber: Fiber): string | undefined {
    const node = this.currentNode(fiber);
    return node && 'store' in node ? node.store : undefined;
  }

  next(fiber: Fiber): void {
    this.block(fiber).index++;
    this.#leaveNode(fiber);
  }

  #leaveNode(fiber: Fiber): void {
    fiber.status = 'ready';
    fiber.effect = undefined;
    fiber.wait = undefined;
    fiber.verdicts = {};
    fiber.approved = false;
  }

  /** Moves past a node and into one of its bodies. */
  branch(fiber: Fiber, node: FlowNode, body: FlowNode[], taken: string): void {
    const frame = this.block(fiber);
    this.note('branch', node.id, { taken });
    this.next(fiber);
    if (body.length > 0) this.openBody(fiber, frame, node, body);
  }

  openBody(fiber: Fiber, { uri, scope }: Frame, node: FlowNode, body: FlowNode[]): void {
    this.open(fiber, uri, scope, this.program(uri).blockOf(node, body));
  }

  open(fiber: Fiber, uri: string, scope: string, block: string): void {
    fiber.stack.push({ kind: 'block', block, index: 0, uri, scope });
  }

  /** Begins another context or a function, in a scope of its own. */
  call(fiber: Fiber, frame: Omit<ScopeFrame, 'kind' | 'scope' | 'caller'>, block: string, variables: Record<string, unknown>): void {
    if (this.breadcrumbs(fiber).length >= MAX_DEPTH) {
      const step = this.currentNode(fiber)?.id ?? '';
      this.raise(fiber, { code: 'depth_limit', message: `Contexts are nested more than ${MAX_DEPTH} deep`, step });
      return;
    }
    const caller = this.block(fiber).scope;
    const scope = this.nextId('s');
    this.state.scopes[scope] = { uri: frame.uri, variables };
    fiber.stack.push({ kind: 'scope', ...frame, scope, caller });
    this.open(fiber, frame.uri, scope, block);
  }

  /** A circle ends quietly: the call answers null, and the journal records why. */
  cut(fiber: Fiber, node: FlowNode, reason: string): void {
    this.note('cut', node.id, { reason });
    this.deliver(fiber, null);
  }

  startEffect(fiber: Fiber, effect: EffectRequest): void {
    fiber.status = 'effect';
    fiber.effect = { ...effect, id: this.nextId('e'), node: this.currentNode(fiber)?.id ?? '', started: false };
  }

  ask(fiber: Fiber, asked: Asked): void {
    const wait = this.question(asked);
    fiber.status = 'waiting';
    fiber.effect = undefined;
    fiber.wait = wait;
    this.note('asked', wait.node, { question: wait.id, reason: wait.reason, text: wait.text });
  }

  /** A limit was reached: the whole session asks whether to continue. */
  hold(reason: Limit, node: string, text: string): void {
    const question = this.question({ reason, node, step: node, text, answer: { kind: 'approval' } });
    this.state.hold = question;
    this.note('asked', node, { question: question.id, reason });
  }

  /** The number in a question's id gives the order in which questions were asked. */
  question(asked: Asked): Wait {
    const expiresAt = new Date(this.ports.now().getTime() + this.ports.questionTtlMs).toISOString();
    const id = `${this.nextId('q')}-${asked.reason.replaceAll('_', '-')}`;
    return { audience: 'person', ...asked, id, expiresAt };
  }

  /** A question that is answered or no longer asked: a late answer changes nothing. */
  close(question: string): void {
    this.state.closed = [...this.state.closed, question].slice(-MAX_CLOSED);
  }

  /** The contexts and functions that a fiber is in, the outermost first. */
  breadcrumbs(fiber: Fiber): string[] {
    return this.#scopes(fiber).map((frame) => (frame.of === 'function' ? `${frame.uri}#${frame.name}` : frame.uri));
  }

  #scopes(fiber: Fiber): ScopeFrame[] {
    const own = fiber.stack.filter((frame) => frame.kind === 'scope');
    const parent = this.#parent(fiber);
    return parent ? [...this.#scopes(parent), ...own] : own;
  }

  /** The fiber whose task this one is. */
  #parent(fiber: Fiber): Fiber | undefined {
    return fiber.task && this.state.fibers.find((each) => each.id === fiber.task?.of);
  }

  innermost(fiber: Fiber): ScopeFrame {
    const scope = this.#scopes(fiber).at(-1);
    if (!scope) throw new Error(`fiber ${fiber.id} is not in a context`);
    return scope;
  }

  /** Lets an error travel outwards to the try that catches it; without one it ends the fiber. */
  raise(fiber: Fiber, error: FlowError): void {
    this.note('error', error.step, { code: error.code, message: error.message });
    this.#leaveNode(fiber);
    this.#unwind(fiber, { kind: 'error', error });
  }

  /** Whether an error with this code would be caught, or offset by another task, instead of ending the session. */
  isCaught(fiber: Fiber, code: string): boolean {
    const isCaughtHere = fiber.stack.some((frame) => {
      if (frame.kind === 'block' || frame.kind === 'scope') return false;
      const node = this.#nodeOf(frame);
      return kindOf(node).catches?.(node, frame, code) ?? false;
    });
    const parent = this.#parent(fiber);
    return isCaughtHere || (parent !== undefined && this.isCaught(parent, code));
  }

  /** Ends the innermost context, function or task with a value; `finally` blocks run on the way. */
  return(fiber: Fiber, value: unknown): void {
    this.#unwind(fiber, { kind: 'return', value });
  }

  #unwind(fiber: Fiber, completion: Completion): void {
    for (let frame = fiber.stack.at(-1); frame; frame = fiber.stack.at(-1)) {
      if (this.#stops(fiber, frame, completion)) return;
      fiber.stack.pop();
    }
    if (completion.kind === 'error') fiber.error = completion.error;
    else fiber.result = completion.value;
  }

  /** Whether an error or a return that travels outwards stops at this frame. */
  #stops(fiber: Fiber, frame: Frame, completion: Completion): boolean {
    if (frame.kind === 'block') return false;
    if (frame.kind !== 'scope') {
      const node = this.#nodeOf(frame);
      return kindOf(node).intercept?.(node, this.#visit(fiber, frame), completion) ?? false;
    }
    if (completion.kind === 'return') this.leave(fiber, frame, completion.value);
    // The main scope stays: its variables are shown after the end.
    else if (frame.scope !== 'main') delete this.state.scopes[frame.scope];
    return completion.kind === 'return';
  }

  /** A context or function is finished: its value goes to the node that called it. */
  leave(fiber: Fiber, frame: ScopeFrame, value: unknown): void {
    while (fiber.stack.at(-1) !== frame) fiber.stack.pop();
    fiber.stack.pop();
    if (frame.of === 'session') {
      fiber.result = value;
      return;
    }
    delete this.state.scopes[frame.scope];
    if (frame.of === 'workflow') this.note('left', frame.name, { uri: frame.uri });
    this.deliver(fiber, value, frame.store);
  }

  /** Forgets tasks that nobody waits for any more, with all that they had begun. */
  drop(tasks: string[]): void {
    for (const fiber of this.state.fibers.filter((each) => tasks.includes(each.id))) {
      for (const frame of fiber.stack) {
        if (frame.kind === 'parallel') this.drop(frame.tasks);
        if (frame.kind === 'scope') delete this.state.scopes[frame.scope];
      }
      if (fiber.wait) this.close(fiber.wait.id);
      if (fiber.status !== 'done') this.note('abandoned', fiber.effect?.node ?? fiber.wait?.node ?? '', { task: fiber.task?.name });
    }
    this.state.fibers = this.state.fibers.filter((each) => !tasks.includes(each.id));
  }

  #end(fiber: Fiber): void {
    fiber.status = 'done';
    const parent = this.#parent(fiber);
    if (parent?.status === 'joining') parent.status = 'ready';
  }
}

/** An error in the flow's data can be caught by the flow; a bug of ours cannot. */
function flowError(error: unknown, step: string): FlowError {
  if (error instanceof Failure) return { code: String(error.details['error'] ?? error.code), message: error.message, step };
  if (error instanceof ExpressionSyntaxError) return { code: 'expression', message: error.message, step };
  throw error;
}
