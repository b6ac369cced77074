import type { FieldRequestResult } from '../discovery/request.ts';
import type { FinishedCall, NextAction } from '../ports.ts';

const MOST = 3;

/** What could be called next, before it is checked whether this user may. */
export function proposed(call: FinishedCall): NextAction[] {
  switch (call.tool) {
    case 'field_request':
      return afterRequest(call.result as FieldRequestResult);
    case 'execute_workflow':
      return afterRun(call.result as { status: string; session_id: string | null }, call.input as { workflow_uri: string });
    case 'compose_workflow':
    case 'evaluate_semantic_condition':
      return afterNextAction(call.result as WithNextAction, 'The result can be used at once');
    case 'list_available_contexts':
      return afterList(call.result as { contexts: { uri: string; type: string; name: string; locked: boolean }[] });
    case 'get_help':
      return afterHelp(call.result as { example: { tool: string; parameters: Record<string, unknown> } });
    default:
      return [];
  }
}

function afterRequest({ status, matches }: FieldRequestResult): NextAction[] {
  const ready = matches
    .filter((match) => match.activation.can_execute)
    .slice(0, status === 'success' ? 1 : 2)
    .map((match): NextAction => ({ ...match.next_action, reason: reasonFor(match.name, match.confidence) }));
  const preview = matches
    .filter((match) => match.type !== 'tool')
    .slice(0, 1)
    .map(
      (match): NextAction => ({
        tool: 'execute_workflow',
        reason: `Preview of "${match.name}", without doing anything`,
        parameters: { workflow_uri: match.uri, dry_run: true },
      }),
    );
  return [...ready, ...preview, ...(ready.length > 0 ? [] : [browse(), askHelp('How do I write a query that finds the right context?')])];
}

function reasonFor(name: string, confidence: number): string {
  return confidence >= 0.85 ? `High confidence match ready to execute: "${name}"` : `"${name}" matches and has all it needs`;
}

function browse(): NextAction {
  return { tool: 'list_available_contexts', reason: 'See what there is', parameters: { pagination: { limit: 20 } } };
}

function askHelp(question: string): NextAction {
  return { tool: 'get_help', reason: 'Learn how to get a better answer', parameters: { help_type: 'usage', specific_question: question } };
}

function afterRun(
  { status, session_id }: { status: string; session_id: string | null },
  { workflow_uri }: { workflow_uri: string },
): NextAction[] {
  if (session_id === null) return [{ tool: 'execute_workflow', reason: 'Run it now', parameters: { workflow_uri } }];
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return [];
  return [
    {
      tool: 'execute_workflow',
      reason: 'Shows where the session stands; add step_result with your answer to go on',
      parameters: { workflow_uri, session_id },
    },
  ];
}

interface WithNextAction {
  next_action?: { tool: string; parameters: Record<string, unknown> } | null;
}

function afterNextAction({ next_action }: WithNextAction, reason: string): NextAction[] {
  return next_action ? [{ ...next_action, reason }] : [];
}

function afterList({ contexts }: { contexts: { uri: string; type: string; name: string; locked: boolean }[] }): NextAction[] {
  const first = contexts.find((context) => context.type !== 'tool' && !context.locked);
  if (!first) return [];
  return [{ tool: 'execute_workflow', reason: `Preview of "${first.name}"`, parameters: { workflow_uri: first.uri, dry_run: true } }];
}

function afterHelp({ example }: { example: { tool: string; parameters: Record<string, unknown> } }): NextAction[] {
  return [{ ...example, reason: 'Try the example' }];
}

/** Only calls that this user may make as they stand, none twice. */
export async function permitted(actions: readonly NextAction[], may: (action: NextAction) => Promise<boolean>): Promise<NextAction[]> {
  const kept = new Map<string, NextAction>();
  for (const action of actions) {
    if (kept.size < MOST && (await may(action))) kept.set(JSON.stringify([action.tool, action.parameters]), action);
  }
  return [...kept.values()];
}
