import { evaluate } from '../language/evaluate.ts';
import { filledIn, plainText } from '../language/template.ts';
import { asText, isTrue } from '../language/values.ts';
import type { Condition, SemanticCondition } from './condition.ts';
import type { Machine } from './machine.ts';
import type { NodeBase, Visit } from './nodes/node.ts';
import type { ApprovalKind, Frame } from './state.ts';

type Decision = boolean | 'unknown' | { key: string; judge: SemanticCondition };

/** Decides a condition as far as possible: expressions at once, words when there is a verdict on them. */
function decided(condition: Condition, key: string, visit: Visit<Frame>): Decision {
  const { verdicts } = visit.fiber;
  if (condition.kind === 'expression') return isTrue(evaluate(condition.expression, visit.variables));
  if (condition.kind === 'semantic') return Object.hasOwn(verdicts, key) ? (verdicts[key] ?? 'unknown') : { key, judge: condition };
  let unknown = false;
  for (const [index, part] of condition.of.entries()) {
    const decision = decided(part, `${key}.${index}`, visit);
    if (decision === false || typeof decision === 'object') return decision;
    unknown ||= decision === 'unknown';
  }
  return unknown ? 'unknown' : true;
}

/** The state of a condition: decided, unknown, or waiting for a verdict. */
export function decisionOf(visit: Visit<Frame>, condition: Condition, key: string, about?: unknown): boolean | 'unknown' | 'pending' {
  const decision = decided(condition, key, visit);
  if (typeof decision !== 'object') return decision;
  judge(visit, decision.key, decision.judge, about);
  return 'pending';
}

/** For loops and filters: undefined until there is a verdict. */
export function conditionOf(visit: Visit<Frame>, condition: Condition, key: string, about?: unknown): boolean | undefined {
  const decision = decisionOf(visit, condition, key, about);
  if (decision === 'unknown') needJudgement(visit);
  return typeof decision === 'boolean' ? decision : undefined;
}

function judge({ machine, fiber, variables }: Visit<Frame>, key: string, condition: SemanticCondition, about: unknown): void {
  const subject = condition.about ? filledIn(condition.about, variables) : (about ?? subjectOf(variables));
  machine.startEffect(fiber, {
    kind: 'judge',
    key,
    condition: plainText(condition.text, variables).slice(0, 500),
    about: asText(subject).slice(0, 4_000),
    threshold: condition.threshold,
    examples: condition.examples,
  });
}

const SUBJECTS = ['message', 'user_message', 'request', 'query', 'text', 'previous_result'];

/** What a condition in words is about when it does not say so. */
function subjectOf(variables: Record<string, unknown>): unknown {
  const name = SUBJECTS.find((each) => variables[each] !== undefined && variables[each] !== null && variables[each] !== '');
  return name ? variables[name] : '';
}

/** A verdict is still unknown and there is no fallback: somebody has to decide. */
export function needJudgement({ machine, fiber }: Visit<Frame>): void {
  const { key, condition } = fiber.undecided ?? { key: '', condition: 'a condition of this flow' };
  const node = machine.currentNode(fiber)?.id ?? '';
  machine.ask(fiber, {
    reason: machine.state.options.mode === 'autonomous' ? 'low_confidence' : 'judgement',
    node,
    step: node,
    text: judgementText(condition),
    answer: { kind: 'judgement' },
    audience: 'assistant',
    about: { key },
  });
}

export function judgementText(condition: string): string {
  return `Does this hold: "${condition}"? Judge by what was said and answer true or false.`;
}

/** Whether there is budget for another step; otherwise the whole session asks before it continues. */
export function hasBudget(machine: Machine, node: string): boolean {
  const { state } = machine;
  if (state.stepsStarted < state.stepBudget) return true;
  machine.hold('max_steps', node, `${state.stepsStarted} steps are done, which is the limit. Continue for ${state.options.maxSteps} more?`);
  return false;
}

/** Whether a step may begin now: there is budget for it, and it is approved where that was demanded. */
export function mayBegin({ machine, fiber }: Visit, node: NodeBase, step: string, kinds: ApprovalKind[], text: string): boolean {
  if (!hasBudget(machine, node.id)) return false;
  const { options } = machine.state;
  const demanded = kinds.filter((kind) => options.approvals.includes(kind));
  if (!fiber.approved && (options.mode === 'step_confirm' || demanded.length > 0)) {
    const why = demanded.length > 0 ? ` (${demanded.map((kind) => kind.replaceAll('_', ' ')).join(' and ')} need approval)` : '';
    machine.ask(fiber, { reason: 'approval', node: node.id, step, text: `${text}${why}`, answer: { kind: 'approval' } });
    return false;
  }
  machine.state.stepsStarted++;
  return true;
}
