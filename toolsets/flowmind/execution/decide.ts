import { evaluate, type Variables } from '../language/evaluate.ts';
import type { Condition, SemanticCondition } from '../language/flow.ts';
import { isTrue } from '../language/values.ts';

export type Decision =
  | { kind: 'decided'; value: boolean }
  | { kind: 'unknown' }
  | { kind: 'judge'; key: string; condition: SemanticCondition };

/** Decides a condition as far as it can be: expressions at once, words once there is a verdict on them. */
export function decide(condition: Condition, key: string, variables: Variables, verdicts: Record<string, boolean | null>): Decision {
  if (condition.kind === 'expression') return { kind: 'decided', value: isTrue(evaluate(condition.expression, variables)) };
  if (condition.kind === 'semantic') {
    if (!Object.hasOwn(verdicts, key)) return { kind: 'judge', key, condition };
    const verdict = verdicts[key];
    return verdict === null || verdict === undefined ? { kind: 'unknown' } : { kind: 'decided', value: verdict };
  }
  let unknown = false;
  for (const [index, part] of condition.of.entries()) {
    const decision = decide(part, `${key}.${index}`, variables, verdicts);
    if (decision.kind === 'judge') return decision;
    if (decision.kind === 'decided' && !decision.value) return decision;
    unknown ||= decision.kind === 'unknown';
  }
  return unknown ? { kind: 'unknown' } : { kind: 'decided', value: true };
}
