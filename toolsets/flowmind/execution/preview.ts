import { Failure, type User } from '@millrace/kernel';
import type { ContextDefinition } from '../language/context.ts';
import { evaluate, type Variables } from '../language/evaluate.ts';
import { variablesIn } from '../language/expression.ts';
import type { Condition, FlowNode, Template } from '../language/flow.ts';
import { isTrue } from '../language/values.ts';
import type { FlowmindServices } from '../tool.ts';
import { variablesRefused } from './failures.ts';
import { filledIn, quotedText, shownVariables } from './render.ts';
import { approvalsOf } from './traits.ts';
import { beginningVariables } from './variables.ts';
import type { SessionView } from './view.ts';

const MAX_DEPTH = 4;

/** One thing that a run would do, or may do. */
export interface PreviewNode {
  kind: FlowNode['kind'];
  id: string;
  what: string;
  /** For calls: what the tool is known for. */
  tool?: { name: string; exists: boolean; changes_things: boolean; reaches_outside: boolean; approvals: string[] };
  branches?: { when: string; holds: boolean | null; steps: PreviewNode[] }[];
  steps?: PreviewNode[];
}

/** What a run would do, branch by branch. Nothing is called, asked, judged or stored. */
export async function previewOf(uri: string, given: Variables, services: FlowmindServices, user: User): Promise<SessionView> {
  const definition = await services.sessions.runnable(uri, user);
  const { variables, missing, problems } = beginningVariables(definition, given);
  if (problems.length > 0) throw variablesRefused(definition, [], problems);
  const preview = new Preview(services, user, variables);
  const steps = await preview.flow(definition, definition.flow, 1, [uri]);
  return {
    session_id: null,
    status: 'completed',
    reason: 'dry_run',
    current_step: null,
    instruction: null,
    context: null,
    question: null,
    variables: shownVariables(variables),
    output: { dry_run: true, steps, missing_variables: missing, tools: [...preview.tools], contexts: [...preview.contexts] },
    steps_done: 0,
    next_action: { tool: 'execute_workflow', parameters: { workflow_uri: uri, initial_variables: given } },
    error: null,
    notice: 'Nothing was done. A branch whose condition is still open has holds: null.',
  };
}

class Preview {
  readonly tools = new Set<string>();
  readonly contexts = new Set<string>();
  readonly #services: FlowmindServices;
  readonly #user: User;
  readonly #variables: Variables;

  constructor(services: FlowmindServices, user: User, variables: Variables) {
    this.#services = services;
    this.#user = user;
    this.#variables = variables;
  }

  async flow(of: ContextDefinition, nodes: readonly FlowNode[], depth: number, trail: string[]): Promise<PreviewNode[]> {
    const shown: PreviewNode[] = [];
    for (const node of nodes) shown.push(await this.#node(of, node, depth, trail));
    return shown;
  }

  async #node(of: ContextDefinition, node: FlowNode, depth: number, trail: string[]): Promise<PreviewNode> {
    const base = { kind: node.kind, id: node.id };
    const inner = (nodes: readonly FlowNode[]) => this.flow(of, nodes, depth, trail);
    switch (node.kind) {
      case 'step':
        if (node.agent) this.contexts.add(node.agent);
        return {
          ...base,
          what: `${node.name}: ${this.#text(node.instruction)}`,
          ...(node.when && { branches: [await this.#branch(node.when, [], inner)] }),
        };
      case 'ask':
        return { ...base, what: this.#text(node.question) };
      case 'call':
        return this.#call(of, node, depth, trail);
      case 'if': {
        const branches = [];
        for (const each of node.branches) branches.push(await this.#branch(each.condition, each.body, inner));
        if (node.otherwise.length > 0) branches.push({ when: 'otherwise', holds: null, steps: await inner(node.otherwise) });
        return { ...base, what: 'Take the first branch whose condition holds', branches };
      }
      case 'switch': {
        const branches = [];
        for (const each of node.cases) branches.push({ when: each.values.join(' or '), holds: null, steps: await inner(each.body) });
        if (node.otherwise.length > 0) branches.push({ when: 'otherwise', holds: null, steps: await inner(node.otherwise) });
        return { ...base, what: 'Take the case that fits', branches };
      }
      case 'switch_semantic': {
        const branches = [];
        for (const each of node.cases) branches.push(await this.#branch(each.condition, each.body, inner));
        if (node.otherwise.length > 0) branches.push({ when: 'otherwise', holds: null, steps: await inner(node.otherwise) });
        return { ...base, what: 'Take the case that fits, in words', branches };
      }
      case 'while':
        return {
          ...base,
          what: `Repeat while ${this.#condition(node.condition)}, at most ${node.maxIterations} times`,
          steps: await inner(node.body),
        };
      case 'for_each':
        return { ...base, what: `For each ${node.item}`, steps: await inner(node.body) };
      case 'parallel': {
        const branches = [];
        for (const task of node.tasks) branches.push({ when: task.name, holds: true, steps: await inner(task.body) });
        return { ...base, what: `At the same time, waiting for ${node.waitFor}`, branches };
      }
      case 'try':
        return { ...base, what: 'Try, and catch what fails', steps: await inner(node.body) };
      case 'workflow':
        return this.#workflow(base, this.#text(node.uri).replaceAll('"', ''), depth, trail);
      case 'include':
        return this.#workflow(base, node.uri, depth, trail);
      case 'set':
        return { ...base, what: `Set ${node.assignments.map(([name]) => name).join(', ')}` };
      case 'increment':
        return { ...base, what: `Count ${node.variable} up` };
      case 'collect':
        return { ...base, what: `Add to ${node.into}` };
      case 'persist':
        return { ...base, what: `Keep ${this.#text(node.key)} for later sessions` };
      case 'restore':
        return { ...base, what: `Take up ${this.#text(node.key)}` };
      case 'validate':
        return { ...base, what: `Check ${node.rules.length} rules` };
      case 'return':
        return { ...base, what: 'Return the result' };
    }
  }

  async #call(of: ContextDefinition, node: FlowNode & { kind: 'call' }, depth: number, trail: string[]): Promise<PreviewNode> {
    const base = { kind: node.kind, id: node.id };
    if (node.target.kind === 'self') return { ...base, what: `Run itself again, at most ${node.target.maxDepth} deep` };
    if (node.target.kind === 'function') {
      const { name } = node.target;
      const called = `${of.uri}#${name}`;
      const body = of.functions[name]?.body ?? [];
      const isCut = depth >= MAX_DEPTH || trail.includes(called);
      return {
        ...base,
        what: `Run the function ${name}`,
        ...(!isCut && { steps: await this.flow(of, body, depth + 1, [...trail, called]) }),
      };
    }
    const { name } = node.target;
    this.tools.add(name);
    const entry = this.#services.catalog().find(name);
    const traits = {
      readOnly: entry?.tool.access === 'read',
      idempotent: false,
      openWorld: entry?.tool.annotations.openWorldHint ?? false,
    };
    const parameters = node.with.map(
      ([key, value]) => `${key}: ${JSON.stringify(this.#safely(() => filledIn(value, this.#variables))) ?? 'null'}`,
    );
    return {
      ...base,
      what: `Call ${name} {${parameters.join(', ').slice(0, 500)}}`,
      tool: {
        name,
        exists: entry !== undefined,
        changes_things: !traits.readOnly,
        reaches_outside: traits.openWorld,
        approvals: approvalsOf(traits),
      },
    };
  }

  async #workflow(base: { kind: FlowNode['kind']; id: string }, uri: string, depth: number, trail: string[]): Promise<PreviewNode> {
    this.contexts.add(uri);
    const definition = await this.#services.registry.get(uri, this.#user.id);
    if (!definition) return { ...base, what: `Run ${uri}, which does not exist` };
    if (depth >= MAX_DEPTH || trail.includes(uri)) return { ...base, what: `Run ${uri} (not shown again)` };
    return { ...base, what: `Run ${uri}`, steps: await this.flow(definition, definition.flow, depth + 1, [...trail, uri]) };
  }

  async #branch(condition: Condition, body: readonly FlowNode[], inner: (nodes: readonly FlowNode[]) => Promise<PreviewNode[]>) {
    return { when: this.#condition(condition), holds: this.#holds(condition), steps: await inner(body) };
  }

  #condition(condition: Condition): string {
    if (condition.kind === 'semantic') return this.#text(condition.text);
    if (condition.kind === 'all') return condition.of.map((each) => this.#condition(each)).join(', and ');
    return condition.source.slice(0, 300);
  }

  /** What can be said before the run: an expression over variables that are all there. */
  #holds(condition: Condition): boolean | null {
    if (condition.kind !== 'expression') return null;
    if ([...variablesIn(condition.expression)].some((name) => !Object.hasOwn(this.#variables, name))) return null;
    const value = this.#safely(() => isTrue(evaluate(condition.expression, this.#variables)));
    return typeof value === 'boolean' ? value : null;
  }

  #text(template: Template): string {
    return String(this.#safely(() => quotedText(template, this.#variables)) ?? '').slice(0, 500);
  }

  /** Variables of later steps are not there yet: what needs them stays open. */
  #safely<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return null;
    }
  }
}
