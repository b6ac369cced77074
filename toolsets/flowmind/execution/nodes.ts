import { evaluate } from '../language/evaluate.ts';
import type { FlowNode, IfNode, SwitchSemanticNode } from '../language/flow.ts';
import { asText, expressionFailure, isTrue, same, typeName } from '../language/values.ts';
import { decisionOf, needJudgement } from './judging.ts';
import type { Machine } from './machine.ts';
import { executeMajor } from './major.ts';
import { filledIn, plainText, spokenText } from './render.ts';
import type { Fiber, Frame } from './state.ts';

type Block = Frame & { kind: 'block' };

const MAX_ITEMS = 10_000;

/** Does one node. Control nodes move on past themselves and open what is inside; the others move on when their value is there. */
export function execute(machine: Machine, fiber: Fiber, node: FlowNode, frame: Block): void {
  const { variables } = machine.scope(frame);
  switch (node.kind) {
    case 'step':
    case 'ask':
    case 'call':
    case 'workflow':
    case 'include':
      executeMajor(machine, fiber, node, frame);
      return;
    case 'set':
      for (const [name, value] of node.assignments) assign(variables, name, filledIn(value, variables));
      machine.next(fiber);
      return;
    case 'increment':
      assign(variables, node.variable, added(variables[node.variable], filledIn(node.by, variables)));
      machine.next(fiber);
      return;
    case 'collect': {
      const list = variables[node.into];
      if (list !== undefined && list !== null && !Array.isArray(list))
        throw expressionFailure(`${node.into} is ${typeName(list)}, not a list`);
      assign(variables, node.into, [...(list ?? []), filledIn(node.value, variables)]);
      machine.next(fiber);
      return;
    }
    case 'if':
      executeIf(machine, fiber, node, frame);
      return;
    case 'switch': {
      const on = evaluate(node.on, variables);
      const chosen = node.cases.find((each) => each.values.some((value) => same(value, on) || asText(value) === asText(on)));
      branch(machine, fiber, node, frame, chosen?.body ?? node.otherwise, chosen ? asText(on) : 'default');
      return;
    }
    case 'switch_semantic':
      executeSwitchSemantic(machine, fiber, node, frame);
      return;
    case 'while':
      machine.next(fiber);
      fiber.stack.push({
        kind: 'while',
        node: node.id,
        iterations: 0,
        since: machine.ports.now().getTime(),
        uri: frame.uri,
        scope: frame.scope,
      });
      return;
    case 'for_each': {
      const items = evaluate(node.list, variables) ?? [];
      if (!Array.isArray(items)) throw expressionFailure(`for_each needs a list, not ${typeName(items)}`);
      if (items.length > MAX_ITEMS) throw expressionFailure(`for_each takes at most ${MAX_ITEMS} items, not ${items.length}`);
      machine.next(fiber);
      fiber.stack.push({ kind: 'each', node: node.id, items, index: 0, uri: frame.uri, scope: frame.scope });
      return;
    }
    case 'parallel': {
      machine.next(fiber);
      const program = machine.program(frame.uri);
      const tasks = node.tasks.map((task) => machine.task(task.name, fiber, frame.uri, frame.scope, program.blockOf(node, task.body)));
      fiber.stack.push({ kind: 'parallel', node: node.id, tasks, uri: frame.uri, scope: frame.scope });
      return;
    }
    case 'try':
      machine.next(fiber);
      machine.enter(
        fiber,
        { kind: 'try', node: node.id, phase: 'body', completion: undefined, uri: frame.uri, scope: frame.scope },
        machine.program(frame.uri).blockOf(node, node.body),
      );
      return;
    case 'persist': {
      const expiresAt = node.ttlMs === undefined ? null : new Date(machine.ports.now().getTime() + node.ttlMs).toISOString();
      machine.writes.push({ key: plainText(node.key, variables), value: filledIn(node.value, variables), expiresAt });
      machine.next(fiber);
      return;
    }
    case 'restore':
      machine.startEffect(fiber, {
        kind: 'restore',
        id: machine.nextId('e'),
        node: node.id,
        started: false,
        key: plainText(node.key, variables),
        store: node.store,
      });
      return;
    case 'validate': {
      const broken = node.rules.find((rule) => !isTrue(evaluate(rule.condition, variables)));
      if (broken)
        machine.raise(fiber, { code: 'invalid_input', message: spokenText(broken.message, variables).slice(0, 500), step: node.id });
      else machine.next(fiber);
      return;
    }
    case 'return':
      machine.return(fiber, filledIn(node.value, variables));
  }
}

function assign(variables: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(variables, name, { value, writable: true, enumerable: true, configurable: true });
}

function added(current: unknown, by: unknown): number {
  const start = current ?? 0;
  if (typeof start !== 'number' || typeof by !== 'number')
    throw expressionFailure(`increment needs numbers, not ${typeName(typeof start === 'number' ? by : start)}`);
  return start + by;
}

/** Moves past a node and into one of its lists. */
function branch(machine: Machine, fiber: Fiber, node: FlowNode, frame: Block, body: FlowNode[], taken: string): void {
  machine.note('branch', node.id, { taken });
  machine.next(fiber);
  if (body.length > 0) machine.open(fiber, frame.uri, frame.scope, machine.program(frame.uri).blockOf(node, body));
}

function executeIf(machine: Machine, fiber: Fiber, node: IfNode, frame: Block): void {
  for (const [index, each] of node.branches.entries()) {
    const decision = decisionOf(machine, fiber, each.condition, `${index}`, frame);
    if (decision === 'pending') return;
    if (decision === 'unknown') {
      if (node.fallback) branch(machine, fiber, node, frame, node.fallback, 'low_confidence_fallback');
      else needJudgement(machine, fiber, node.id);
      return;
    }
    if (decision) {
      branch(machine, fiber, node, frame, each.body, index === 0 ? 'then' : `elif ${index}`);
      return;
    }
  }
  branch(machine, fiber, node, frame, node.otherwise, 'else');
}

function executeSwitchSemantic(machine: Machine, fiber: Fiber, node: SwitchSemanticNode, frame: Block): void {
  const about = filledIn(node.on, machine.scope(frame).variables);
  let unknown = false;
  for (const [index, each] of node.cases.entries()) {
    const decision = decisionOf(machine, fiber, each.condition, `${index}`, frame, about);
    if (decision === 'pending') return;
    if (decision === true) {
      branch(machine, fiber, node, frame, each.body, asText(each.condition.text.join('')));
      return;
    }
    unknown ||= decision === 'unknown';
  }
  if (unknown && node.fallback) branch(machine, fiber, node, frame, node.fallback, 'low_confidence_fallback');
  else if (unknown) needJudgement(machine, fiber, node.id);
  else branch(machine, fiber, node, frame, node.otherwise, 'default');
}
