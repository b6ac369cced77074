import { changedFailure, Failure, identified, type Passed, type Step } from '@millrace/kernel';
import type { Timings } from './teaching/lessons.ts';
import type { Enhancement, Teacher } from './teaching/teacher.ts';

/** What every reply carries beside its result. */
export interface ReplyNotes {
  enhancement: Enhancement;
  timings: Timings;
}

/** The times measured inside the calls that run now. */
export class CallStopwatch {
  readonly #calls = new Map<string, Timings>();

  begin(callId: string): Timings {
    const timings = { alpha_llm: 0, search: 0, assembly: 0 };
    this.#calls.set(callId, timings);
    return timings;
  }

  end(callId: string): void {
    this.#calls.delete(callId);
  }

  add(callId: string, part: keyof Timings, ms: number): void {
    const timings = this.#calls.get(callId);
    if (timings) timings[part] += ms;
  }
}

/** Puts the teaching, the next actions and the measured times around every result, and guidance into every failure. */
export function enhance(teacher: Teacher, stopwatch: CallStopwatch): Step {
  return async (invocation, next) => {
    const { id, tool, input } = invocation;
    const timings = stopwatch.begin(id);
    const call = { id, tool: tool.name, user: identified(invocation), input, timings };
    try {
      const passed = await next();
      if (passed.outcome.kind === 'question') return passed;
      const assembling = performance.now();
      const result = passed.outcome.value;
      const enhancement = await teacher.enhance({ ...call, result });
      timings.assembly += performance.now() - assembling;
      const notes: ReplyNotes = { enhancement, timings: { ...timings } };
      return { ...passed, outcome: { ...passed.outcome, notes } } satisfies Passed;
    } catch (error) {
      throw error instanceof Failure ? await guided(teacher, call, error) : error;
    } finally {
      stopwatch.end(id);
    }
  };
}

async function guided(teacher: Teacher, call: Parameters<Teacher['afterFailure']>[0], failure: Failure): Promise<Failure> {
  const { guidance } = await teacher.afterFailure(call, failure);
  if (!guidance || Object.keys(guidance).length === 0) return failure;
  const own = failure.details.guidance;
  const details = { ...failure.details, guidance: { ...guidance, ...(own !== null && typeof own === 'object' ? own : {}) } };
  return changedFailure(failure, { details });
}
