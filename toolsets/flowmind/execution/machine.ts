import { Failure } from '@millrace/kernel';
import { ExpressionSyntaxError } from '../language/expression.ts';
import type { FlowNode } from '../language/flow.ts';
import { continueFrame } from './frames.ts';
import { execute } from './nodes.ts';
import type { Program } from './program.ts';
import { type Effect, type Fiber, type FlowError, type Frame, newFiber, type Scope, type SessionState, type Wait } from './state.ts';
import type { ToolTraits } from './traits.ts';

export interface MachinePorts {
  /** A pinned definition; undefined while it is not loaded yet, null when there is none. */
  program(uri: string): Program | null | undefined;
  tool(name: string): ToolTraits | undefined;
  now(): Date;
  hasModel: boolean;
  questionTtlMs: number;
}

/** One line of a session's journal. */
export interface Event {
  kind: string;
  node: string;
  data: Record<string, unknown>;
}

const MAX_DEPTH = 50;
const MAX_CLOSED = 500;

/**
 * Runs a session's fibers over plain JSON, without waiting for anything: until each has finished, needs something from
 * outside (an effect) or needs an answer (a wait). What comes back is handed in, and it goes on.
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

  /** Goes on until nothing is ready, or `fuel` nodes have been done. Answers whether anything is still ready. */
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
      else if (frame.kind !== 'block') continueFrame(this, fiber, frame);
      else {
        const node = this.program(frame.uri).block(frame.block)[frame.index];
        if (node) execute(this, fiber, node, frame);
        else fiber.stack.pop();
      }
    } catch (error) {
      this.raise(fiber, flowError(error, this.currentNode(fiber)?.id ?? ''));
    }
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
  block(fiber: Fiber): Frame & { kind: 'block' } {
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

  /** The node that the fiber is at is done; its value is kept as previous_result and under its own name. */
  deliver(fiber: Fiber, value: unknown, store: string | undefined): void {
    const frame = this.block(fiber);
    const { variables } = this.scope(frame);
    variables['previous_result'] = value;
    if (store) variables[store] = value;
    // A task without a return answers with its last value.
    if (fiber.task) fiber.result = value;
    this.next(fiber);
  }

  next(fiber: Fiber): void {
    this.block(fiber).index++;
    fiber.status = 'ready';
    fiber.effect = undefined;
    fiber.wait = undefined;
    fiber.verdicts = {};
    fiber.approved = false;
  }

  enter(fiber: Fiber, frame: Frame, block: string): void {
    fiber.stack.push(frame);
    this.open(fiber, frame.uri, frame.scope, block);
  }

  open(fiber: Fiber, uri: string, scope: string, block: string): void {
    fiber.stack.push({ kind: 'block', block, index: 0, uri, scope });
  }

  /** Begins another context or a function, in a scope of its own. */
  call(
    fiber: Fiber,
    frame: Omit<Frame & { kind: 'scope' }, 'kind' | 'scope' | 'caller'>,
    block: string,
    variables: Record<string, unknown>,
  ): void {
    if (this.breadcrumbs(fiber).length >= MAX_DEPTH) {
      this.raise(fiber, {
        code: 'depth_limit',
        message: `Contexts are nested more than ${MAX_DEPTH} deep`,
        step: this.currentNode(fiber)?.id ?? '',
      });
      return;
    }
    const caller = this.block(fiber).scope;
    const scope = this.nextId('s');
    this.state.scopes[scope] = { uri: frame.uri, variables };
    this.enter(fiber, { kind: 'scope', ...frame, scope, caller }, block);
  }

  startEffect(fiber: Fiber, effect: Effect): void {
    fiber.status = 'effect';
    fiber.effect = effect;
  }

  startWait(fiber: Fiber, wait: Wait): void {
    fiber.status = 'waiting';
    fiber.effect = undefined;
    fiber.wait = wait;
    this.note('asked', wait.node, { question: wait.id, reason: wait.reason, text: wait.text });
  }

  /** Makes a question. Its id says the order in which questions were asked. */
  question(wait: Omit<Wait, 'id' | 'expiresAt'>): Wait {
    const expiresAt = new Date(this.ports.now().getTime() + this.ports.questionTtlMs).toISOString();
    return { ...wait, id: `${this.nextId('q')}-${wait.reason.replaceAll('_', '-')}`, expiresAt };
  }

  /** A question that is answered, or no longer asked: an answer to it that comes later changes nothing. */
  close(question: string): void {
    this.state.closed = [...this.state.closed, question].slice(-MAX_CLOSED);
  }

  /** The contexts and functions that a fiber is in, the outermost first. */
  breadcrumbs(fiber: Fiber): string[] {
    return this.#scopes(fiber).map((frame) => (frame.of === 'function' ? `${frame.uri}#${frame.name}` : frame.uri));
  }

  #scopes(fiber: Fiber): (Frame & { kind: 'scope' })[] {
    const own = fiber.stack.filter((frame) => frame.kind === 'scope');
    const parent = fiber.task && this.state.fibers.find((each) => each.id === fiber.task?.of);
    return parent ? [...this.#scopes(parent), ...own] : own;
  }

  innermost(fiber: Fiber): Frame & { kind: 'scope' } {
    return this.#scopes(fiber).at(-1) as Frame & { kind: 'scope' };
  }

  /** Lets an error travel outwards to the try that catches it; without one it ends the fiber. */
  raise(fiber: Fiber, error: FlowError): void {
    this.note('error', error.step, { code: error.code, message: error.message });
    fiber.status = 'ready';
    fiber.effect = undefined;
    fiber.wait = undefined;
    fiber.verdicts = {};
    fiber.approved = false;
    this.#unwind(fiber, { kind: 'error', error });
  }

  /** Whether an error with this code would be caught, or be made up for by another task, instead of ending the session. */
  isCaught(fiber: Fiber, code: string): boolean {
    const caughtHere = fiber.stack.some((frame) => {
      if (frame.kind !== 'try' || frame.phase !== 'body') return false;
      const node = this.program(frame.uri).node(frame.node) as FlowNode & { kind: 'try' };
      return node.catches.some((each) => each.error === undefined || each.error === code);
    });
    const parent = fiber.task && this.state.fibers.find((each) => each.id === fiber.task?.of);
    const frame = parent?.stack.at(-1);
    if (caughtHere || !parent || frame?.kind !== 'parallel') return caughtHere;
    const node = this.program(frame.uri).node(frame.node) as FlowNode & { kind: 'parallel' };
    return node.waitFor !== 'all' || this.isCaught(parent, code);
  }

  /** Ends the innermost context, function or task with a value; what stands in `finally` is done on the way. */
  return(fiber: Fiber, value: unknown): void {
    this.#unwind(fiber, { kind: 'return', value });
  }

  #unwind(fiber: Fiber, completion: { kind: 'error'; error: FlowError } | { kind: 'return'; value: unknown }): void {
    for (;;) {
      const frame = fiber.stack.at(-1);
      if (!frame) {
        if (completion.kind === 'error') fiber.error = completion.error;
        else fiber.result = completion.value;
        return;
      }
      if (frame.kind === 'try' && this.#caught(fiber, frame, completion)) return;
      if (frame.kind === 'scope' && completion.kind === 'return') {
        this.leave(fiber, frame, completion.value);
        return;
      }
      if (frame.kind === 'parallel') this.drop(frame.tasks);
      if (frame.kind === 'scope') delete this.state.scopes[frame.scope === 'main' ? '' : frame.scope];
      fiber.stack.pop();
    }
  }

  #caught(
    fiber: Fiber,
    frame: Frame & { kind: 'try' },
    completion: { kind: 'error'; error: FlowError } | { kind: 'return'; value: unknown },
  ): boolean {
    const program = this.program(frame.uri);
    const node = program.node(frame.node) as FlowNode & { kind: 'try' };
    if (frame.phase === 'finally') return false;
    if (completion.kind === 'error' && frame.phase === 'body') {
      const { error } = completion;
      const handler = node.catches.find((each) => each.error === undefined || each.error === error.code);
      if (handler) {
        frame.phase = 'catch';
        this.scope(frame).variables['error'] = { ...error };
        this.open(fiber, frame.uri, frame.scope, program.blockOf(node, handler.body));
        return true;
      }
    }
    if (node.finally.length === 0) return false;
    frame.phase = 'finally';
    frame.completion = completion;
    this.open(fiber, frame.uri, frame.scope, program.blockOf(node, node.finally));
    return true;
  }

  /** A context or function is finished: its value goes to the node that called it. */
  leave(fiber: Fiber, frame: Frame & { kind: 'scope' }, value: unknown): void {
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

  task(name: string, of: Fiber, uri: string, scope: string, block: string): string {
    const id = this.nextId('f');
    const fiber = newFiber(id, [{ kind: 'block', block, index: 0, uri, scope }], { of: of.id, name });
    fiber.status = 'queued';
    this.state.fibers.push(fiber);
    return id;
  }

  #end(fiber: Fiber): void {
    fiber.status = 'done';
    const parent = fiber.task && this.state.fibers.find((each) => each.id === fiber.task?.of);
    if (parent?.status === 'joining') parent.status = 'ready';
  }
}

/** A mistake in the flow's data can be caught by the flow; a bug of ours cannot. */
function flowError(error: unknown, step: string): FlowError {
  if (error instanceof Failure) return { code: String(error.details['error'] ?? error.code), message: error.message, step };
  if (error instanceof ExpressionSyntaxError) return { code: 'expression', message: error.message, step };
  throw error;
}
