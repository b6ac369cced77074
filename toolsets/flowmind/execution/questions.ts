import type { Status } from '../store/session-store.ts';
import { readAnswer } from './answers.ts';
import { expiredAnswer, unknownQuestion, unreadableAnswer } from './failures.ts';
import type { Machine } from './machine.ts';
import type { Fiber, SessionState, Wait } from './state.ts';

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
export function restingStatus(state: SessionState, stopped: boolean): { status: Status; reason: string | null } {
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

/** Gives an answer to the question that it names; throws when that is not open, has expired, or does not take it. */
export function giveAnswer(machine: Machine, answer: { question_id: string; value: unknown }): void {
  const { state } = machine;
  const open = [...(state.hold ? [state.hold] : []), ...waits(state)];
  const question = open.find((each) => each.id === answer.question_id);
  if (!question) throw unknownQuestion(answer.question_id, open[0]);
  if (question.expiresAt <= machine.ports.now().toISOString()) throw expiredAnswer(question);
  const read = readAnswer(question.answer, answer.value);
  if ('problem' in read) throw unreadableAnswer(question, read.problem);
  machine.close(question.id);
  machine.note('answered', question.node, { question: question.id });
  if (question === state.hold) {
    resumeHold(machine, question, read.value === true);
    return;
  }
  const fiber = state.fibers.find((each) => each.wait?.id === question.id);
  if (fiber) resume(machine, fiber, question, read.value);
}

/** Asks an expired question anew, under a new id. */
export function askAgain(machine: Machine, question: Wait): void {
  machine.close(question.id);
  const { id: _id, expiresAt: _expiresAt, ...rest } = question;
  const again = machine.question(rest);
  if (machine.state.hold === question) machine.state.hold = again;
  const fiber = machine.state.fibers.find((each) => each.wait?.id === question.id);
  if (fiber) fiber.wait = again;
}

/** A step that no model could do is begun again. */
export function tryAgain(machine: Machine, question: Wait): void {
  const fiber = machine.state.fibers.find((each) => each.wait?.id === question.id);
  if (!fiber) return;
  machine.close(question.id);
  machine.state.stepsStarted--;
  fiber.wait = undefined;
  fiber.status = 'ready';
}

/** Hands an answer that was read to the fiber that waits for it. */
export function resume(machine: Machine, fiber: Fiber, wait: Wait, value: unknown): void {
  const about = wait.about ?? {};
  const node = machine.currentNode(fiber);
  const store = node && 'store' in node ? node.store : undefined;
  fiber.wait = undefined;
  fiber.status = 'ready';
  switch (wait.reason) {
    case 'step':
    case 'answer':
    case 'model_required':
      machine.state.stepsDone++;
      machine.deliver(fiber, value, store);
      return;
    case 'approval':
      if (value === true) fiber.approved = true;
      else machine.raise(fiber, { code: 'declined', message: `"${wait.step}" was declined`, step: wait.node });
      return;
    case 'judgement':
    case 'low_confidence':
      fiber.verdicts[about.key ?? ''] = value as boolean;
      return;
    case 'confirmation':
      resumeConfirmed(machine, fiber, wait, value === true, store);
      return;
    case 'tool_question':
      fiber.effect = about.effect && {
        ...about.effect,
        ...(about.effect.kind === 'tool' && { answer: { question_id: about.questionId ?? '', value } }),
      };
      fiber.status = 'effect';
      return;
    case 'tool_failed':
    case 'outcome_unknown':
      resumeFailed(machine, fiber, wait, value as string, store);
      return;
    default:
      throw new Error(`a fiber cannot wait for ${wait.reason}`);
  }
}

function resumeConfirmed(machine: Machine, fiber: Fiber, wait: Wait, confirmed: boolean, store: string | undefined): void {
  const { key, verdict, value } = wait.about ?? {};
  if (key !== undefined) fiber.verdicts[key] = confirmed ? (verdict ?? false) : !verdict;
  else if (confirmed) {
    machine.state.stepsDone++;
    machine.deliver(fiber, value, store);
  } else machine.raise(fiber, { code: 'declined', message: `The result of "${wait.step}" was declined`, step: wait.node });
}

export const FAILED_CHOICES = ['retry', 'skip', 'stop'];
export const UNKNOWN_CHOICES = ['it happened', 'do it again', 'stop'];

function resumeFailed(machine: Machine, fiber: Fiber, wait: Wait, choice: string, store: string | undefined): void {
  if (choice === 'retry' || choice === 'do it again') {
    const effect = wait.about?.effect;
    fiber.effect = effect && { ...effect, id: machine.nextId('e'), started: false };
    fiber.status = 'effect';
    return;
  }
  if (choice === 'skip' || choice === 'it happened') {
    machine.state.stepsDone++;
    machine.deliver(fiber, null, store);
    return;
  }
  const error = wait.about?.error ?? { code: 'stopped', message: `"${wait.step}" was stopped`, step: wait.node };
  machine.raise(fiber, { ...error, code: 'stopped' });
}

/** A limit was lifted, or not: without a yes the session ends. */
export function resumeHold(machine: Machine, wait: Wait, goOn: boolean): void {
  const { state } = machine;
  state.hold = undefined;
  if (!goOn) {
    const [main] = state.fibers;
    machine.drop(state.fibers.slice(1).map((each) => each.id));
    if (main) machine.raise(main, { code: 'declined', message: `The session was not let go on beyond ${wait.reason}`, step: wait.node });
    return;
  }
  if (wait.reason === 'max_steps') state.stepBudget = state.stepsStarted + state.options.maxSteps;
  else state.activeMs = 0;
}
