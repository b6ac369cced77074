import type { FieldRequestResult } from '../discovery/answer/request.ts';
import { type FinishedCall, isCallOf } from './lessons.ts';

/** A call that a user can make as it is. */
export interface NextAction {
  tool: string;
  reason: string;
  parameters: Record<string, unknown>;
}

const MOST = 3;

/** Possible next calls, before checking whether this user may make them. */
export function proposedAfter(call: FinishedCall): NextAction[] {
  if (isCallOf(call, 'field_request')) return afterRequest(call.result);
  if (isCallOf(call, 'execute_workflow')) return afterRun(call.input.workflow_uri, call.result);
  if (isCallOf(call, 'compose_workflow')) {
    const { next_action } = call.result;
    return next_action ? [{ ...next_action, reason: 'The result can be used at once' }] : [];
  }
  if (isCallOf(call, 'list_available_contexts')) {
    const first = call.result.contexts.find((context) => context.type !== 'tool' && !context.locked);
    return first ? [previewOf(first.uri, `Preview of "${first.name}"`)] : [];
  }
  if (isCallOf(call, 'get_help')) return [{ ...call.result.example, reason: 'Try the example' }];
  return [];
}

function afterRequest({ status, matches }: FieldRequestResult): NextAction[] {
  const ready = matches
    .filter((match) => match.activation.can_execute)
    .slice(0, status === 'success' ? 1 : 2)
    .map((match): NextAction => ({ ...match.next_action, reason: reasonFor(match.name, match.confidence) }));
  const preview = matches
    .filter((match) => match.type !== 'tool')
    .slice(0, 1)
    .map((match) => previewOf(match.uri, `Preview of "${match.name}", without doing anything`));
  return [...ready, ...preview, ...(ready.length > 0 ? [] : [BROWSE, ASK_HELP])];
}

function reasonFor(name: string, confidence: number): string {
  return confidence >= 0.85 ? `High confidence match ready to execute: "${name}"` : `"${name}" matches and has all it needs`;
}

const BROWSE: NextAction = { tool: 'list_available_contexts', reason: 'See what there is', parameters: { pagination: { limit: 20 } } };

const ASK_HELP: NextAction = {
  tool: 'get_help',
  reason: 'Learn how to get a better answer',
  parameters: { help_type: 'usage', specific_question: 'How do I write a query that finds the right context?' },
};

function previewOf(workflow_uri: string, reason: string): NextAction {
  return { tool: 'execute_workflow', reason, parameters: { workflow_uri, dry_run: true } };
}

function afterRun(workflow_uri: string, { status, session_id }: { status: string; session_id: string | null }): NextAction[] {
  if (session_id === null) return [{ tool: 'execute_workflow', reason: 'Run it now', parameters: { workflow_uri } }];
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return [];
  const reason = 'Shows where the session stands; add step_result with your answer to continue';
  return [{ tool: 'execute_workflow', reason, parameters: { workflow_uri, session_id } }];
}

/** Only calls that this user may make as they are, without duplicates. */
export async function permitted(actions: readonly NextAction[], may: (action: NextAction) => Promise<boolean>): Promise<NextAction[]> {
  const kept = new Map<string, NextAction>();
  for (const action of actions) {
    if (kept.size < MOST && (await may(action))) kept.set(JSON.stringify([action.tool, action.parameters]), action);
  }
  return [...kept.values()];
}
