import type { Machine } from '../flow/machine.ts';
import type { Fiber, SessionState, Wait, WaitReason } from '../flow/state.ts';
import { readAnswer } from './answers.ts';
import { expiredAnswer, unknownQuestion, unreadableAnswer } from './failures.ts';
import type { Status } from './session-store.ts';

interface Answered {
  machine: Machine;
  fiber: Fiber;
  wait: Wait;
  value: unknown;
}

/** The status of a session that waits for this, and what the answer does to the waiting fiber. */
interface Reason {
  status: Status;
  resume(answered: Answered): void;
}

const JUDGEMENT: Reason = {
  status: 'awaiting_answer',
  resume({ fiber, wait, value }) {
    fiber.verdicts[wait.about?.key ?? ''] = value === true;
  },
};

const LIMIT: Reason = {
  status: 'paused',
  resume({ wait }) {
    throw new Error(`a fiber cannot wait for ${wait.reason}`);
  },
};

const REASONS: Record<WaitReason, Reason> = {
  step: { status: 'awaiting_step', resume: delivered },
  answer: { status: 'awaiting_answer', resume: delivered },
  model_required: { status: 'paused', resume: delivered },
  judgement: JUDGEMENT,
  low_confidence: { ...JUDGEMENT, status: 'paused' },
  tool_question: { status: 'awaiting_answer', resume: toolAnswered },
  approval: { status: 'awaiting_approval', resume: approved },
  confirmation: { status: 'awaiting_approval', resume: confirmed },
  tool_failed: { status: 'paused', resume: decided },
  outcome_unknown: { status: 'paused', resume: decided },
  max_steps: LIMIT,
  max_duration_ms: LIMIT,
  max_nodes: LIMIT,
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

/** The status of a session that does not run right now. */
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
  if (question) return { status: REASONS[question.reason].status, reason: question.reason };
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
  const fiber = waiting(machine, question);
  if (!fiber) return;
  fiber.wait = undefined;
  fiber.status = 'ready';
  REASONS[question.reason].resume({ machine, fiber, wait: question, value: read.value });
}

function waiting(machine: Machine, question: Wait): Fiber | undefined {
  return machine.state.fibers.find((each) => each.wait?.id === question.id);
}

/** Asks an expired question again, under a new id. */
export function askAgain(machine: Machine, question: Wait): void {
  machine.close(question.id);
  const { id: _id, expiresAt: _expiresAt, ...rest } = question;
  const again = machine.question(rest);
  if (machine.state.hold === question) machine.state.hold = again;
  const fiber = waiting(machine, question);
  if (fiber) fiber.wait = again;
}

/** Starts a step again that no model could do. */
export function tryAgain(machine: Machine, question: Wait): void {
  const fiber = waiting(machine, question);
  if (!fiber) return;
  machine.close(question.id);
  machine.state.stepsStarted--;
  fiber.wait = undefined;
  fiber.status = 'ready';
}

function delivered({ machine, fiber, value }: Pick<Answered, 'machine' | 'fiber' | 'value'>): void {
  machine.state.stepsDone++;
  machine.deliver(fiber, value);
}

function approved({ machine, fiber, wait, value }: Answered): void {
  if (value === true) fiber.approved = true;
  else machine.raise(fiber, { code: 'declined', message: `"${wait.step}" was declined`, step: wait.node });
}

function confirmed({ machine, fiber, wait, value }: Answered): void {
  const { key, verdict, value: kept } = wait.about ?? {};
  if (key !== undefined) fiber.verdicts[key] = value === true ? (verdict ?? false) : !verdict;
  else if (value === true) delivered({ machine, fiber, value: kept });
  else machine.raise(fiber, { code: 'declined', message: `The result of "${wait.step}" was declined`, step: wait.node });
}

function toolAnswered({ fiber, wait, value }: Answered): void {
  const { effect, questionId = '' } = wait.about ?? {};
  fiber.effect = effect?.kind === 'tool' ? { ...effect, answer: { question_id: questionId, value } } : effect;
  fiber.status = 'effect';
}

export const FAILED_CHOICES = ['retry', 'skip', 'stop'];
export const UNKNOWN_CHOICES = ['it happened', 'do it again', 'stop'];

function decided({ machine, fiber, wait, value: choice }: Answered): void {
  const { effect, error } = wait.about ?? {};
  if (choice === 'retry' || choice === 'do it again') {
    fiber.effect = effect && { ...effect, id: machine.nextId('e'), started: false };
    fiber.status = 'effect';
  } else if (choice === 'skip' || choice === 'it happened') delivered({ machine, fiber, value: null });
  else {
    const message = error?.message ?? `"${wait.step}" was stopped`;
    machine.raise(fiber, { code: 'stopped', message, step: error?.step ?? wait.node });
  }
}

/** Answers whether a limit is lifted: without a yes the session ends. */
function resumeHold(machine: Machine, wait: Wait, mayContinue: boolean): void {
  const { state } = machine;
  state.hold = undefined;
  if (!mayContinue) {
    const [main] = state.fibers;
    machine.drop(state.fibers.slice(1).map((each) => each.id));
    if (main)
      machine.raise(main, { code: 'declined', message: `The session was not allowed to continue beyond ${wait.reason}`, step: wait.node });
    return;
  }
  if (wait.reason === 'max_steps') state.stepBudget = state.stepsStarted + state.options.maxSteps;
  else state.activeMs = 0;
}
