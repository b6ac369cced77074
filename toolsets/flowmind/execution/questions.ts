import { readAnswer, resume, resumeHold } from './answers.ts';
import { expiredAnswer, unknownQuestion, unreadableAnswer } from './failures.ts';
import type { Machine } from './machine.ts';
import { waits } from './standing.ts';
import type { Wait } from './state.ts';

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
