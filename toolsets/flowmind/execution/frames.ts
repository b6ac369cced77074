import type { FlowNode, ForEachNode, ParallelNode, TryNode, WhileNode } from '../language/flow.ts';
import { conditionOf } from './judging.ts';
import type { Machine } from './machine.ts';
import type { Fiber, Frame } from './state.ts';

/** Goes on with a loop, a try, a parallel or a call after the block inside it has ended. */
export function continueFrame(machine: Machine, fiber: Fiber, frame: Exclude<Frame, { kind: 'block' }>): void {
  switch (frame.kind) {
    case 'scope':
      machine.leave(fiber, frame, machine.scope(frame).variables['previous_result'] ?? null);
      return;
    case 'while':
      continueWhile(machine, fiber, frame);
      return;
    case 'each':
      continueEach(machine, fiber, frame);
      return;
    case 'try':
      continueTry(machine, fiber, frame);
      return;
    case 'parallel':
      continueParallel(machine, fiber, frame);
  }
}

function nodeOf<Node extends FlowNode>(machine: Machine, frame: { uri: string; node: string }): Node {
  return machine.program(frame.uri).node(frame.node) as Node;
}

function continueWhile(machine: Machine, fiber: Fiber, frame: Frame & { kind: 'while' }): void {
  const node = nodeOf<WhileNode>(machine, frame);
  const ended = endOfLoop(machine, node, frame);
  if (ended) {
    machine.note('loop_ended', node.id, { reason: ended, iterations: frame.iterations });
    fiber.stack.pop();
    return;
  }
  if (node.test === 'before' || frame.iterations > 0) {
    const holds = conditionOf(machine, fiber, node.condition, `${frame.iterations}`, frame);
    if (holds === undefined) return;
    fiber.verdicts = {};
    if (!holds) {
      fiber.stack.pop();
      return;
    }
  }
  frame.iterations++;
  machine.open(fiber, frame.uri, frame.scope, machine.program(frame.uri).blockOf(node, node.body));
}

function endOfLoop(machine: Machine, node: WhileNode, frame: Frame & { kind: 'while' }): string | undefined {
  if (frame.iterations >= node.maxIterations) return 'max_iterations';
  return node.timeoutMs !== undefined && machine.ports.now().getTime() - frame.since > node.timeoutMs ? 'timeout' : undefined;
}

function continueEach(machine: Machine, fiber: Fiber, frame: Frame & { kind: 'each' }): void {
  const node = nodeOf<ForEachNode>(machine, frame);
  const { variables } = machine.scope(frame);
  if (frame.index >= frame.items.length) {
    fiber.stack.pop();
    return;
  }
  variables[node.item] = frame.items[frame.index];
  if (node.where) {
    const holds = conditionOf(machine, fiber, node.where, `${frame.index}`, frame, frame.items[frame.index]);
    if (holds === undefined) return;
    fiber.verdicts = {};
    if (!holds) {
      frame.index++;
      return;
    }
  }
  frame.index++;
  machine.open(fiber, frame.uri, frame.scope, machine.program(frame.uri).blockOf(node, node.body));
}

function continueTry(machine: Machine, fiber: Fiber, frame: Frame & { kind: 'try' }): void {
  const node = nodeOf<TryNode>(machine, frame);
  if (frame.phase !== 'finally' && node.finally.length > 0) {
    frame.phase = 'finally';
    machine.open(fiber, frame.uri, frame.scope, machine.program(frame.uri).blockOf(node, node.finally));
    return;
  }
  fiber.stack.pop();
  const { completion } = frame;
  if (completion?.kind === 'error') machine.raise(fiber, completion.error);
  else if (completion) machine.return(fiber, completion.value);
}

function continueParallel(machine: Machine, fiber: Fiber, frame: Frame & { kind: 'parallel' }): void {
  const node = nodeOf<ParallelNode>(machine, frame);
  const tasks = machine.state.fibers.filter((each) => frame.tasks.includes(each.id));
  const finished = tasks.filter((each) => each.status === 'done');
  const failed = finished.filter((each) => each.error);
  const succeeded = finished.filter((each) => !each.error);
  const wanted = node.waitFor === 'all' ? tasks.length : node.waitFor === 'any' ? 1 : node.waitFor;
  const [failure] = failed;
  if (failure?.error && tasks.length - failed.length < wanted) {
    const { error } = failure;
    fiber.stack.pop();
    machine.drop(frame.tasks);
    machine.raise(fiber, error);
    return;
  }
  if (succeeded.length >= wanted) {
    const results = Object.fromEntries(succeeded.map((each) => [each.task?.name ?? each.id, each.result ?? null]));
    fiber.stack.pop();
    machine.drop(frame.tasks);
    const { variables } = machine.scope(frame);
    variables['previous_result'] = results;
    if (node.collectResults) variables[node.collectResults] = results;
    return;
  }
  const running = tasks.filter((each) => each.status !== 'done' && each.status !== 'queued').length;
  for (const task of tasks.filter((each) => each.status === 'queued').slice(0, node.maxConcurrency - running)) task.status = 'ready';
  fiber.status = 'joining';
}
