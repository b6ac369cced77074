import { decided, unknown, type Verdict } from '../conditions/verdict.ts';
import { evaluateInput, evaluateResult } from '../schema.ts';
import { tool } from '../tool.ts';

export const evaluateSemanticCondition = tool({
  name: 'evaluate_semantic_condition',
  description: `Evaluate a natural language condition against current context. Use for workflow branching decisions or understanding activation conditions.
On needs_judgement, judge it yourself and call again with judgement added.`,
  said: ['is the customer angry enough to escalate', 'does this condition hold', 'judge whether the text sounds urgent'],
  access: 'read',
  annotations: { title: 'Evaluate a condition', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: evaluateInput,
  output: evaluateResult,
  limits: { perMinute: 100 },
  level: 'intermediate',

  async run({ condition, context, evaluation_type, judgement }, { services, user, signal }) {
    const thing = { userId: user.id, condition, context };
    if (judgement) {
      services.judgementTokens.verify(judgement.token, thing);
      return shaped(givenVerdict(judgement), evaluation_type, undefined);
    }
    const verdict = await services.conditions.judge({
      condition,
      message: context.user_message,
      summary: context.conversation_summary,
      variables: context.session_variables ?? {},
      signal,
    });
    return shaped(verdict, evaluation_type, verdict.status === 'needs_judgement' ? services.judgementTokens.issue(thing) : undefined);
  },
});

function givenVerdict(judgement: { result: boolean | null; confidence?: number | undefined; reasoning?: string | undefined }): Verdict {
  const reasoning = judgement.reasoning ?? 'Judged by the calling assistant';
  return judgement.result === null
    ? unknown('caller', reasoning)
    : decided('caller', judgement.result, judgement.confidence ?? 0.5, reasoning);
}

function shaped(verdict: Verdict, type: 'boolean' | 'confidence' | 'detailed', token: string | undefined) {
  const { result, status, confidence, evaluator, reasoning, evidence } = verdict;
  return {
    result,
    status,
    ...(type !== 'boolean' && { confidence }),
    evaluator,
    ...(type === 'detailed' && { reasoning, evidence }),
    ...(token !== undefined && { judgement_token: token }),
  };
}
