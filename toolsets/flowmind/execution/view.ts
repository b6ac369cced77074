import type { Variables } from '../language/evaluate.ts';
import type { Session, Status } from '../store/session-store.ts';
import { answerJsonSchema, exampleAnswer } from './answers.ts';
import { openQuestion } from './questions.ts';
import type { StepContext, Wait } from './state.ts';

export interface SessionView {
  session_id: string | null;
  status: Status;
  reason: string | null;
  current_step: string | null;
  instruction: string | null;
  context: StepContext | null;
  question: { id: string; text: string; schema: Record<string, unknown> } | null;
  variables: Record<string, unknown>;
  output: unknown;
  steps_done: number;
  next_action: { tool: string; parameters: Record<string, unknown> } | null;
  error: { code: string; message: string; step: string } | null;
  notice: string | null;
}

const MAX_OUTPUT = 100_000;

/** A session as its user sees it. A session that runs at this moment is shown as paused with the reason `running`. */
export function viewOf(session: Session, notice?: string): SessionView {
  const { state } = session;
  const running = session.status === 'running';
  const question = running || isEnded(session.status) ? undefined : openQuestion(state);
  return {
    session_id: session.id,
    status: session.status === 'running' ? 'paused' : session.status,
    reason: running ? 'running' : session.reason,
    current_step: question?.step || null,
    instruction: question?.instruction ?? null,
    context: question?.context ?? null,
    question: question ? { id: question.id, text: question.text, schema: answerJsonSchema(question.answer) } : null,
    variables: shownVariables(state.scopes['main']?.variables ?? {}),
    output: bounded(state.output, MAX_OUTPUT),
    steps_done: state.stepsDone,
    next_action: isEnded(session.status) ? null : nextAction(session, question),
    error: state.error ?? null,
    notice: notice ?? (running ? 'The session is at work. Call again with its session_id to see how it goes on.' : null),
  };
}

export function isEnded(status: string): status is 'completed' | 'failed' | 'cancelled' {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function nextAction(session: Session, question: Wait | undefined): SessionView['next_action'] {
  const parameters = { workflow_uri: session.uri, session_id: session.id };
  if (!question) return { tool: 'execute_workflow', parameters };
  const step_result = { question_id: question.id, value: exampleAnswer(question.answer) };
  return { tool: 'execute_workflow', parameters: { ...parameters, step_result } };
}

const SHOWN_CHARACTERS = 4_000;

/** Variables as a reply shows them: whole, unless one is too large to repeat each time. */
export function shownVariables(variables: Variables): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, bounded(value)]));
}

export function bounded(value: unknown, most = SHOWN_CHARACTERS): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= most ? value : { truncated: true, characters: text.length, head: text.slice(0, 500) };
}
