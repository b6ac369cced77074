import type { AskNode, CallNode, IncludeNode, StepNode, WorkflowNode } from '../language/flow.ts';
import { asText } from '../language/values.ts';
import { conditionOf } from './judging.ts';
import type { Machine } from './machine.ts';
import { filledIn, plainText, quoted, quotedText, spokenText } from './render.ts';
import type { ApprovalKind, Fiber, Frame, StepContext } from './state.ts';
import { approvalsOf } from './traits.ts';
import { beginningVariables } from './variables.ts';

type Block = Frame & { kind: 'block' };
type MajorNode = StepNode | AskNode | CallNode | WorkflowNode | IncludeNode;

/** How often a context may stand in its own trail before the circle is cut. */
const MAX_CIRCLES = 3;

/** The nodes that people would call steps: counted, limited, and confirmed where that was demanded. */
export function executeMajor(machine: Machine, fiber: Fiber, node: MajorNode, frame: Block): void {
  switch (node.kind) {
    case 'step':
      executeStep(machine, fiber, node, frame);
      return;
    case 'ask':
      executeAsk(machine, fiber, node, frame);
      return;
    case 'call':
      executeCall(machine, fiber, node, frame);
      return;
    case 'workflow':
      executeWorkflow(machine, fiber, node, frame);
      return;
    case 'include':
      executeInclude(machine, fiber, node, frame);
      return;
  }
}

function executeStep(machine: Machine, fiber: Fiber, node: StepNode, frame: Block): void {
  if (node.when) {
    const holds = conditionOf(machine, fiber, node.when, 'when', frame);
    if (holds === undefined) return;
    if (!holds) {
      machine.note('skipped', node.id);
      machine.next(fiber);
      return;
    }
  }
  if (node.agent && machine.ports.program(node.agent) === undefined) {
    load(machine, fiber, node.id, node.agent);
    return;
  }
  if (!mayBegin(machine, fiber, node, node.name, node.agent ? ['context_switches'] : [], `Do the step "${node.name}"?`)) return;
  const { variables } = machine.scope(frame);
  const context = stepContext(machine, fiber, node, variables);
  const instruction = instructionOf(node, variables);
  const { mode } = machine.state.options;
  if (mode === 'autonomous' && machine.ports.hasModel) {
    const id = machine.nextId('e');
    machine.startEffect(fiber, { kind: 'generate', id, node: node.id, started: false, instruction, persona: context.persona ?? '' });
    return;
  }
  machine.startWait(
    fiber,
    machine.question({
      reason: mode === 'autonomous' ? 'model_required' : 'step',
      node: node.id,
      step: node.name,
      text: `What is the result of the step "${node.name}"?`,
      answer: { kind: 'any' },
      audience: 'assistant',
      instruction,
      context,
      about: undefined,
    }),
  );
}

function instructionOf(node: StepNode, variables: Record<string, unknown>): string {
  const wanted = node.deliverables.length > 0 ? [`Deliver: ${node.deliverables.join('; ')}.`] : [];
  const done = node.successCriteria.length > 0 ? [`It is done when: ${node.successCriteria.join('; ')}.`] : [];
  return [quotedText(node.instruction, variables).trim(), ...wanted, ...done].join('\n');
}

function stepContext(machine: Machine, fiber: Fiber, node: StepNode, variables: Record<string, unknown>): StepContext {
  const { uri } = machine.block(fiber);
  const agent = node.agent ? machine.ports.program(node.agent)?.definition : undefined;
  const own = machine.program(uri).definition.persona;
  const unknownAgent = node.agent && !agent ? `Act as ${node.agent.replace(/^agent:\/\//, '').replaceAll('-', ' ')}.` : undefined;
  const said = node.persona && quotedText(node.persona, variables);
  return {
    uri,
    name: machine.program(uri).definition.name,
    agent: node.agent ?? null,
    persona: [agent?.persona ?? agent?.description ?? unknownAgent, said].filter(Boolean).join('\n') || own || null,
    deliverables: node.deliverables,
    success_criteria: node.successCriteria,
    breadcrumbs: machine.breadcrumbs(fiber),
  };
}

function executeAsk(machine: Machine, fiber: Fiber, node: AskNode, frame: Block): void {
  const { variables } = machine.scope(frame);
  const known = node.store === undefined ? undefined : variables[node.store];
  if (machine.state.options.mode === 'autonomous' && (node.default !== undefined || (known !== undefined && known !== null))) {
    const value = known ?? (node.default && filledIn(node.default, variables));
    machine.note('answered', node.id, { by: known === undefined || known === null ? 'default' : 'variable' });
    machine.state.stepsDone++;
    machine.deliver(fiber, value, node.store);
    return;
  }
  if (!hasBudget(machine, node.id)) return;
  machine.state.stepsStarted++;
  machine.startWait(
    fiber,
    machine.question({
      reason: 'answer',
      node: node.id,
      step: node.store ?? node.id,
      text: spokenText(node.question, variables).slice(0, 2_000),
      answer: { kind: 'field', spec: node.answer },
      audience: 'person',
      instruction: undefined,
      context: undefined,
      about: undefined,
    }),
  );
}

function executeCall(machine: Machine, fiber: Fiber, node: CallNode, frame: Block): void {
  const { variables } = machine.scope(frame);
  const values = () => Object.fromEntries(node.with.map(([key, value]) => [key, filledIn(value, variables)]));
  if (node.target.kind === 'function') {
    callFunction(machine, fiber, node, node.target.name, values());
    return;
  }
  if (node.target.kind === 'self') {
    callSelf(machine, fiber, node, node.target.maxDepth, values());
    return;
  }
  const { name } = node.target;
  const traits = machine.ports.tool(name);
  if (!traits) {
    machine.raise(fiber, { code: 'unknown_tool', message: `There is no tool named "${name.slice(0, 100)}"`, step: node.id });
    return;
  }
  const parameters = Object.fromEntries(Object.entries(values()).filter(([, value]) => value !== null && value !== undefined));
  if (!mayBegin(machine, fiber, node, name, approvalsOf(traits), `Call ${name} with ${quoted(parameters)}?`)) return;
  machine.startEffect(fiber, { kind: 'tool', id: machine.nextId('e'), node: node.id, started: false, tool: name, parameters });
}

function callFunction(machine: Machine, fiber: Fiber, node: CallNode, name: string, given: Record<string, unknown>): void {
  const { uri } = machine.block(fiber);
  const definition = machine.program(uri).definition.functions[name];
  if (!definition) throw new Error(`${uri} has no function ${name}`);
  const depth = machine.breadcrumbs(fiber).filter((each) => each === `${uri}#${name}`).length;
  if (depth >= definition.maxDepth) {
    cut(machine, fiber, node, `${name} called itself ${depth} times`);
    return;
  }
  const variables: Record<string, unknown> = {};
  for (const parameter of definition.parameters) {
    const value = given[parameter.name] ?? (parameter.default && filledIn(parameter.default, given));
    if (value === undefined && parameter.required) {
      machine.raise(fiber, { code: 'missing_variables', message: `${name} needs ${parameter.name}`, step: node.id });
      return;
    }
    variables[parameter.name] = value ?? null;
  }
  for (const [key, value] of Object.entries(given)) variables[key] ??= value;
  machine.call(fiber, { of: 'function', uri, name, store: node.store }, `#function:${name}`, variables);
}

function callSelf(machine: Machine, fiber: Fiber, node: CallNode, maxDepth: number, given: Record<string, unknown>): void {
  const inside = machine.innermost(fiber);
  if (inside.of === 'function') {
    callFunction(machine, fiber, node, inside.name, given);
    return;
  }
  const depth = machine.breadcrumbs(fiber).filter((each) => each === inside.uri).length;
  if (depth > maxDepth) {
    cut(machine, fiber, node, `it called itself ${maxDepth} times`);
    return;
  }
  const variables = { ...machine.scope(machine.block(fiber)).variables, ...given };
  machine.call(fiber, { of: 'workflow', uri: inside.uri, name: node.id, store: node.store }, '#flow', variables);
}

function executeWorkflow(machine: Machine, fiber: Fiber, node: WorkflowNode, frame: Block): void {
  const { variables } = machine.scope(frame);
  const uri = plainText(node.uri, variables);
  const program = machine.ports.program(uri);
  if (program === undefined) {
    load(machine, fiber, node.id, uri);
    return;
  }
  if (program === null) {
    machine.raise(fiber, { code: 'not_found', message: `There is no context ${uri.slice(0, 200)}`, step: node.id });
    return;
  }
  const circles = machine.breadcrumbs(fiber).filter((each) => each === uri).length;
  if (circles > MAX_CIRCLES) {
    cut(machine, fiber, node, `${uri} came around ${MAX_CIRCLES} times`);
    return;
  }
  if (!mayBegin(machine, fiber, node, program.definition.name, ['context_switches'], `Go into ${uri}?`)) return;
  const given = Object.fromEntries(node.with.map(([key, value]) => [key, filledIn(value, variables)]));
  const inherited = Object.keys(program.definition.variables).filter(
    (name) => !Object.hasOwn(given, name) && Object.hasOwn(variables, name),
  );
  const begun = beginningVariables(program.definition, {
    ...Object.fromEntries(inherited.map((name) => [name, variables[name]])),
    ...given,
  });
  if (begun.missing.length > 0 || begun.problems.length > 0) {
    const message = begun.missing.length > 0 ? `${uri} needs ${begun.missing.join(', ')}` : (begun.problems[0]?.issue ?? '');
    machine.raise(fiber, { code: 'missing_variables', message, step: node.id });
    return;
  }
  machine.state.stepsDone++;
  machine.note('entered', node.id, { uri });
  machine.call(fiber, { of: 'workflow', uri, name: node.id, store: node.store }, '#flow', begun.variables);
}

function executeInclude(machine: Machine, fiber: Fiber, node: IncludeNode, frame: Block): void {
  const program = machine.ports.program(node.uri);
  if (program === undefined) {
    load(machine, fiber, node.id, node.uri);
    return;
  }
  const depth = fiber.stack.filter((each) => each.kind === 'block' && each.block === '#flow' && each.uri === node.uri).length;
  if (program === null) {
    machine.raise(fiber, { code: 'not_found', message: `There is no context ${node.uri.slice(0, 200)}`, step: node.id });
    return;
  }
  if (depth > MAX_CIRCLES) {
    cut(machine, fiber, node, `${node.uri} includes itself`);
    return;
  }
  if (!mayBegin(machine, fiber, node, program.definition.name, ['context_switches'], `Include ${node.uri}?`)) return;
  machine.state.stepsDone++;
  const { scope } = frame;
  machine.next(fiber);
  machine.open(fiber, node.uri, scope, '#flow');
}

/** A circle ends quietly: the call answers null, and the journal says why. */
function cut(machine: Machine, fiber: Fiber, node: { id: string; store?: string | undefined }, reason: string): void {
  machine.note('cut', node.id, { reason });
  machine.deliver(fiber, null, node.store);
}

function load(machine: Machine, fiber: Fiber, node: string, uri: string): void {
  machine.startEffect(fiber, { kind: 'load', id: machine.nextId('e'), node, started: false, uri });
}

function hasBudget(machine: Machine, node: string): boolean {
  const { state } = machine;
  if (state.stepsStarted < state.stepBudget) return true;
  state.hold = machine.question({
    reason: 'max_steps',
    node,
    step: node,
    text: `${state.stepsStarted} steps are done, which is the limit. Go on for ${state.options.maxSteps} more?`,
    answer: { kind: 'approval' },
    audience: 'person',
    instruction: undefined,
    context: undefined,
    about: undefined,
  });
  machine.note('asked', node, { question: state.hold.id, reason: 'max_steps' });
  return false;
}

/** Whether a step may begin now: there is budget for it, and it is approved where that was demanded. */
function mayBegin(machine: Machine, fiber: Fiber, node: MajorNode, name: string, kinds: ApprovalKind[], text: string): boolean {
  const { options } = machine.state;
  const demanded = kinds.filter((kind) => options.approvals.includes(kind));
  if (!fiber.approved && (options.mode === 'step_confirm' || demanded.length > 0)) {
    if (!hasBudget(machine, node.id)) return false;
    const why = demanded.length > 0 ? ` (${demanded.map((kind) => kind.replaceAll('_', ' ')).join(' and ')} need approval)` : '';
    machine.startWait(
      fiber,
      machine.question({
        reason: 'approval',
        node: node.id,
        step: asText(name),
        text: `${text}${why}`,
        answer: { kind: 'approval' },
        audience: 'person',
        instruction: undefined,
        context: undefined,
        about: undefined,
      }),
    );
    return false;
  }
  if (!hasBudget(machine, node.id)) return false;
  machine.state.stepsStarted++;
  return true;
}
