import { Failure } from '@millrace/kernel';
import { evaluate, type Variables } from '../language/evaluate.ts';
import { variablesIn } from '../language/expression.ts';
import { filledIn, quotedText, type Template, type Value } from '../language/template.ts';
import { isTrue } from '../language/values.ts';
import type { Condition } from './condition.ts';
import type { ContextDefinition } from './context.ts';
import { type FlowNode, kindOf } from './nodes/registry.ts';
import type { ToolTraits } from './state.ts';

const MAX_DEPTH = 4;

/** What a node would do, or may do. */
export interface Previewed {
  what: string;
  /** For calls: what the tool is known for. */
  tool?: { name: string; exists: boolean; changes_things: boolean; reaches_outside: boolean; approvals: string[] };
  branches?: { when: string; holds: boolean | null; steps: PreviewNode[] }[];
  steps?: PreviewNode[];
}

interface PreviewNode extends Previewed {
  kind: FlowNode['kind'];
  id: string;
}

interface Alternative {
  when: string;
  /** Null when that cannot be known before the run. */
  holds: boolean | null;
  body: readonly FlowNode[];
}

/** What a preview may ask, and what it has found. */
export interface DryRun {
  context(uri: string): Promise<ContextDefinition | undefined>;
  tool(name: string): ToolTraits | undefined;
  variables: Variables;
  /** What the run would use. */
  found: { tools: Set<string>; contexts: Set<string> };
}

/** The preview of one context or function, for its nodes to describe themselves. */
export class Preview {
  readonly definition: ContextDefinition;
  readonly run: DryRun;
  /** The contexts and functions that led here, this one last. */
  readonly #trail: readonly string[];

  constructor(run: DryRun, definition: ContextDefinition, trail: readonly string[]) {
    this.definition = definition;
    this.run = run;
    this.#trail = trail;
  }

  async flow(nodes: readonly FlowNode[]): Promise<PreviewNode[]> {
    const shown: PreviewNode[] = [];
    for (const node of nodes) shown.push({ kind: node.kind, id: node.id, ...(await kindOf(node).preview(node, this)) });
    return shown;
  }

  /** The preview of another context or function; undefined when it was shown already, or is too deep. */
  into(definition: ContextDefinition, name: string): Preview | undefined {
    const isCut = this.#trail.length >= MAX_DEPTH || this.#trail.includes(name);
    return isCut ? undefined : new Preview(this.run, definition, [...this.#trail, name]);
  }

  alternatives(conditional: { condition: Condition; body: FlowNode[] }[], otherwise: FlowNode[]): Alternative[] {
    return [
      ...conditional.map(({ condition, body }) => ({ when: this.condition(condition), holds: this.#holds(condition), body })),
      ...(otherwise.length > 0 ? [{ when: 'otherwise', holds: null, body: otherwise }] : []),
    ];
  }

  async branches(alternatives: Alternative[]): Promise<NonNullable<Previewed['branches']>> {
    const shown = [];
    for (const { when, holds, body } of alternatives) shown.push({ when, holds, steps: await this.flow(body) });
    return shown;
  }

  condition(condition: Condition): string {
    if (condition.kind === 'semantic') return this.text(condition.text);
    if (condition.kind === 'all') return condition.of.map((each) => this.condition(each)).join(', and ');
    return condition.source.slice(0, 300);
  }

  /** What is known before the run: an expression over variables that are all there. */
  #holds(condition: Condition): boolean | null {
    if (condition.kind !== 'expression') return null;
    if ([...variablesIn(condition.expression)].some((name) => !Object.hasOwn(this.run.variables, name))) return null;
    return this.#safely(() => isTrue(evaluate(condition.expression, this.run.variables)));
  }

  text(template: Template): string {
    return (this.#safely(() => quotedText(template, this.run.variables)) ?? '').slice(0, 500);
  }

  value(value: Value): unknown {
    return this.#safely(() => filledIn(value, this.run.variables));
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
