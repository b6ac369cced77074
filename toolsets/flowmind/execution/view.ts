import type { z } from 'zod';
import type { Wait } from '../flow/state.ts';
import type { Variables } from '../language/evaluate.ts';
import type { executeWorkflowResult } from '../schema.ts';
import { exampleAnswer, shownQuestion } from './answers.ts';
import { openQuestion } from './questions.ts';
import type { Session } from './session-store.ts';

export type SessionView = z.output<typeof executeWorkflowResult>;

const MAX_OUTPUT = 100_000;

/** A session as its user sees it. A session that runs at this moment is shown as paused with the reason `running`. */
export function viewOf(session: Session, notice: string | null = null): SessionView {
  const { state, status } = session;
  const question = openFor(session);
  return {
    session_id: session.id,
    ...(status === 'running' ? { status: 'paused', reason: 'running' } : { status, reason: session.reason }),
    ...(question ? asked(question) : NOTHING_ASKED),
    variables: shownVariables(state.scopes['main']?.variables ?? {}),
    output: bounded(state.output, MAX_OUTPUT),
    steps_done: state.stepsDone,
    next_action: isEnded(status) ? null : nextAction(session, question),
    error: state.error ?? null,
    notice: notice ?? (status === 'running' ? AT_WORK : null),
  };
}

const AT_WORK = 'The session is at work. Call again with its session_id to see its progress.';

/** The question that the user of a session can answer now. */
export function openFor(session: Session): Wait | undefined {
  return session.status === 'running' || isEnded(session.status) ? undefined : openQuestion(session.state);
}

export const NOTHING_ASKED = { current_step: null, instruction: null, context: null, question: null };

function asked(question: Wait): { [Key in keyof typeof NOTHING_ASKED]: SessionView[Key] } {
  const { step, instruction, context } = question;
  return { current_step: step || null, instruction: instruction ?? null, context: context ?? null, question: shownQuestion(question) };
}

export function isEnded(status: string): status is 'completed' | 'failed' | 'cancelled' {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function nextAction({ uri, id }: Session, question: Wait | undefined): SessionView['next_action'] {
  const parameters = { workflow_uri: uri, session_id: id, ...(question && { step_result: exampleAnswer(question) }) };
  return { tool: 'execute_workflow', parameters };
}

const SHOWN_CHARACTERS = 4_000;

/** Variables as a reply shows them: in full, unless one is too large to repeat each time. */
export function shownVariables(variables: Variables): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, bounded(value)]));
}

export function bounded(value: unknown, most = SHOWN_CHARACTERS): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= most ? value : { truncated: true, characters: text.length, head: text.slice(0, 500) };
}
