import type { Status } from '../store/session-store.ts';
import type { SessionState, Wait } from './state.ts';

const STATUS_OF: Record<Wait['reason'], Status> = {
  step: 'awaiting_step',
  answer: 'awaiting_answer',
  judgement: 'awaiting_answer',
  tool_question: 'awaiting_answer',
  approval: 'awaiting_approval',
  confirmation: 'awaiting_approval',
  tool_failed: 'paused',
  outcome_unknown: 'paused',
  model_required: 'paused',
  low_confidence: 'paused',
  max_steps: 'paused',
  max_duration_ms: 'paused',
  max_nodes: 'paused',
};

/** The question that is open now, if any: the session's own before those of its fibers, the oldest first. */
export function openQuestion(state: SessionState): Wait | undefined {
  return state.hold ?? waits(state)[0];
}

/** Every question that can be answered, in the order in which they were asked. */
export function waits(state: SessionState): Wait[] {
  const all = state.fibers.flatMap((fiber) => (fiber.status === 'waiting' && fiber.wait ? [fiber.wait] : []));
  return all.sort((a, b) => questionNumber(a.id) - questionNumber(b.id));
}

export function questionNumber(id: string): number {
  return Number(/^q(\d+)-/.exec(id)?.[1] ?? Number.NaN);
}

/** How a session that does not run right now stands. */
export function standing(state: SessionState, stopped: boolean): { status: Status; reason: string | null } {
  const [main] = state.fibers;
  if (main?.status === 'done') {
    state.output = main.error ? null : (main.result ?? null);
    state.error = main.error;
    if (!main.error) return { status: 'completed', reason: null };
    return main.error.code === 'declined' || main.error.code === 'stopped'
      ? { status: 'cancelled', reason: main.error.code }
      : { status: 'failed', reason: main.error.code };
  }
  const question = openQuestion(state);
  if (question) return { status: STATUS_OF[question.reason], reason: question.reason };
  return { status: 'paused', reason: stopped ? 'interrupted' : 'running' };
}
