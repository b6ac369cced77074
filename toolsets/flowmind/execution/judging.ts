import type { Condition, SemanticCondition } from '../language/flow.ts';
import { asText } from '../language/values.ts';
import { decide } from './decide.ts';
import type { Machine } from './machine.ts';
import { filledIn, plainText } from './render.ts';
import type { Fiber } from './state.ts';

/** Where a condition stands: decided, unknown, or on its way. */
export function decisionOf(
  machine: Machine,
  fiber: Fiber,
  condition: Condition,
  key: string,
  frame: { scope: string; uri: string },
  about?: unknown,
): boolean | 'unknown' | 'pending' {
  const { variables } = machine.scope(frame);
  const decision = decide(condition, key, variables, fiber.verdicts);
  if (decision.kind === 'decided') return decision.value;
  if (decision.kind === 'unknown') return 'unknown';
  judge(machine, fiber, decision.key, decision.condition, variables, about);
  return 'pending';
}

/** For loops and filters: undefined while a verdict is on its way. */
export function conditionOf(
  machine: Machine,
  fiber: Fiber,
  condition: Condition,
  key: string,
  frame: { scope: string; uri: string },
  about?: unknown,
): boolean | undefined {
  const decision = decisionOf(machine, fiber, condition, key, frame, about);
  if (decision === 'pending') return undefined;
  if (decision === 'unknown') {
    needJudgement(machine, fiber, machine.currentNode(fiber)?.id ?? '');
    return undefined;
  }
  return decision;
}

function judge(
  machine: Machine,
  fiber: Fiber,
  key: string,
  condition: SemanticCondition,
  variables: Record<string, unknown>,
  about: unknown,
): void {
  const subject = condition.about ? filledIn(condition.about, variables) : (about ?? subjectOf(variables));
  machine.startEffect(fiber, {
    kind: 'judge',
    id: machine.nextId('e'),
    node: machine.currentNode(fiber)?.id ?? '',
    started: false,
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

/** A verdict stayed unknown and there is no way around it: somebody has to say. */
export function needJudgement(machine: Machine, fiber: Fiber, node: string): void {
  const { key, condition } = fiber.undecided ?? { key: '', condition: 'a condition of this flow' };
  machine.startWait(
    fiber,
    machine.question({
      reason: machine.state.options.mode === 'autonomous' ? 'low_confidence' : 'judgement',
      node,
      step: node,
      text: judgementText(condition),
      answer: { kind: 'judgement' },
      audience: 'assistant',
      instruction: undefined,
      context: undefined,
      about: { key },
    }),
  );
}

export function judgementText(condition: string): string {
  return `Does this hold: "${condition}"? Judge by what was said and answer true or false.`;
}
