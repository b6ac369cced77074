import type { Verdict } from '../conditions/verdict.ts';
import { judgementText } from '../flow/gates.ts';
import type { Machine } from '../flow/machine.ts';
import type { Effect, Fiber, FlowError, Wait, WaitReason } from '../flow/state.ts';
import { quoted } from '../language/template.ts';
import type { EffectResult } from './effects.ts';
import type { Programs } from './programs.ts';
import { FAILED_CHOICES, UNKNOWN_CHOICES } from './questions.ts';
import { bounded } from './view.ts';

/** A larger result is kept as its beginning: the state of a session is written with every transition. */
const MAX_RESULT = 500_000;

/** Hands the result of an effect to the fiber that needed it. */
export function applyResult(machine: Machine, fiber: Fiber, effect: Effect, result: EffectResult, programs: Programs): void {
  switch (result.kind) {
    case 'interrupted':
      interrupted(machine, fiber, effect);
      return;
    case 'error':
      failed(machine, fiber, effect, result.error);
      return;
    case 'question':
      wait(machine, fiber, 'tool_question', effect, {
        text: result.question.text,
        answer: { kind: 'object', schema: result.question.schema },
        about: { effect: { ...effect, started: false }, questionId: result.question.id },
      });
      return;
    case 'verdict':
      if (effect.kind === 'judge') judged(machine, fiber, effect, result.verdict);
      return;
    case 'loaded':
      if (effect.kind === 'load') programs.pin(machine.state, effect.uri, result.definition);
      ready(fiber);
      return;
    case 'value':
      delivered(machine, fiber, effect, result.value, result.confidence);
  }
}

function ready(fiber: Fiber): void {
  fiber.effect = undefined;
  fiber.status = 'ready';
}

function delivered(machine: Machine, fiber: Fiber, effect: Effect, value: unknown, confidence: number | undefined): void {
  const { minConfidence, confirmBelow } = machine.state.options;
  const needed = Math.max(minConfidence ?? 0, confirmBelow ?? 0);
  if (confidence !== undefined && confidence < needed) {
    wait(machine, fiber, 'confirmation', effect, {
      text: `The model's result is uncertain (confidence ${confidence}): ${quoted(value)}. Use it?`,
      answer: { kind: 'approval' },
      about: { value },
    });
    return;
  }
  machine.note('done', effect.node, {
    effect: effect.kind,
    result: bounded(value, 2_000),
    ...(confidence !== undefined && { confidence }),
  });
  if (effect.kind !== 'restore') machine.state.stepsDone++;
  machine.deliver(fiber, bounded(value, MAX_RESULT), effect.kind === 'restore' ? effect.store : undefined);
}

function judged(machine: Machine, fiber: Fiber, effect: Effect & { kind: 'judge' }, verdict: Verdict): void {
  const { mode, minConfidence, confirmBelow } = machine.state.options;
  const needed = Math.max(effect.threshold ?? 0, minConfidence ?? 0);
  const { result, confidence, evaluator } = verdict;
  machine.note('judged', effect.node, { condition: effect.condition, result, confidence, evaluator });
  if (result === null || confidence < needed) {
    fiber.undecided = { key: effect.key, condition: effect.condition };
    if (mode === 'autonomous') {
      fiber.verdicts[effect.key] = null;
      ready(fiber);
    } else {
      wait(machine, fiber, 'judgement', effect, {
        text: judgementText(effect.condition),
        answer: { kind: 'judgement' },
        about: { key: effect.key },
        audience: 'assistant',
      });
    }
    return;
  }
  if (confirmBelow !== undefined && confidence < confirmBelow) {
    wait(machine, fiber, 'confirmation', effect, {
      text: `"${effect.condition}" was judged ${result} with confidence ${confidence} (by ${evaluator}). Is that right?`,
      answer: { kind: 'approval' },
      about: { key: effect.key, verdict: result },
    });
    return;
  }
  fiber.verdicts[effect.key] = result;
  ready(fiber);
}

/** A failure that the flow does not catch waits for a decision: it is never lost, and never ends the session by itself. */
function failed(machine: Machine, fiber: Fiber, effect: Effect, error: FlowError): void {
  machine.note('failed', effect.node, { code: error.code, message: error.message });
  if (machine.isCaught(fiber, error.code) || effect.kind === 'load') {
    machine.raise(fiber, error);
    return;
  }
  wait(machine, fiber, 'tool_failed', effect, {
    text: `A step failed: ${error.message}. Try again, skip it, or stop?`,
    answer: { kind: 'choice', options: FAILED_CHOICES },
    about: { effect: { ...effect, started: false }, error },
  });
}

function interrupted(machine: Machine, fiber: Fiber, effect: Effect): void {
  // What only looks, or may be repeated, simply begins again; the rest keeps its mark and is asked about.
  machine.note('interrupted', effect.node, { effect: effect.kind });
  fiber.status = 'effect';
}

/** After a stop in the middle: effects that had begun and whose outcome nobody knows are asked about. */
export function markInterrupted(machine: Machine): void {
  for (const fiber of machine.state.fibers) {
    const { effect } = fiber;
    if (fiber.status !== 'effect' || !effect?.started) continue;
    const what = effect.kind === 'tool' ? effect.tool : effect.kind;
    wait(machine, fiber, 'outcome_unknown', effect, {
      text: `${what} had begun when the work was interrupted, and its outcome is unknown. Did it happen?`,
      answer: { kind: 'choice', options: UNKNOWN_CHOICES },
      about: { effect: { ...effect, started: false } },
    });
  }
}

type Asked = Pick<Wait, 'text' | 'answer' | 'about'> & { audience?: Wait['audience'] };

function wait(machine: Machine, fiber: Fiber, reason: WaitReason, effect: Effect, asked: Asked): void {
  const node = machine.currentNode(fiber);
  const step = effect.kind === 'tool' ? effect.tool : node?.kind === 'step' ? node.name : effect.node;
  machine.ask(fiber, { reason, node: effect.node, step, ...asked });
}
