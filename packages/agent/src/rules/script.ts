import type { Now } from './language/calendar.ts';
import type { Hearing } from './language/listening.ts';
import type { Memory, PlannedCall, Todo } from './memory.ts';

/** How a call went. */
export interface CallResult {
  ok: boolean;
  value: Record<string, unknown>;
}

/**
 * What our model does with a message: it makes calls, gets results, and returns an answer. A script is run again from its
 * start with the results so far, so it must be deterministic: no clock, no randomness.
 */
export type Script<Result> = Generator<PlannedCall[], Result, CallResult[]>;

/** Everything that a script knows. */
export interface Scene {
  memory: Memory;
  hearing: Hearing;
  now: Now;
  tools: ReadonlySet<string>;
  /** Todos read in this turn, by what was asked for. */
  loaded: Map<string, Todo[]>;
}

/** A tool is not offered here. */
export class ToolMissing extends Error {
  readonly tool: string;

  constructor(tool: string) {
    super(`there is no ${tool}`);
    this.tool = tool;
  }
}

export function* callTools(scene: Scene, calls: PlannedCall[]): Script<CallResult[]> {
  if (calls.length === 0) return [];
  for (const { tool } of calls) if (!scene.tools.has(tool)) throw new ToolMissing(tool);
  return yield calls;
}

export function* callTool(scene: Scene, tool: string, parameters: Record<string, unknown>): Script<CallResult> {
  const [result] = yield* callTools(scene, [{ tool, parameters }]);
  return result ?? { ok: false, value: {} };
}

/** A recorded call, in a turn that continues. */
export interface RecordedCall extends PlannedCall {
  result: CallResult;
}

export type Replayed<Result> = { kind: 'calls'; calls: PlannedCall[] } | { kind: 'end'; value: Result } | { kind: 'changed' };

/** Runs a script as far as the recorded results go. */
export function replay<Result>(script: Script<Result>, recorded: readonly RecordedCall[]): Replayed<Result> {
  let position = 0;
  let step = script.next();
  while (!step.done) {
    const calls = step.value;
    if (position >= recorded.length) return { kind: 'calls', calls };
    const results = recorded.slice(position, position + calls.length);
    if (!calls.every((call, index) => isSame(call, results[index]))) return { kind: 'changed' };
    position += calls.length;
    step = script.next(results.map(({ result }) => result));
  }
  return { kind: 'end', value: step.value };
}

function isSame(call: PlannedCall, recorded: RecordedCall | undefined): boolean {
  return recorded !== undefined && call.tool === recorded.tool && JSON.stringify(call.parameters) === JSON.stringify(recorded.parameters);
}

/** What to say, and what to remember. */
export interface Said {
  text: string;
  memory: Memory;
  failed?: boolean;
}

export function said(scene: Scene, text: string, change: Partial<Memory> = {}): Said {
  const { pending: _pending, ...memory } = scene.memory;
  return { text, memory: { ...memory, ...change } };
}

/** What to remember of a numbered list that is shown. */
export function numbered(list: Todo[], shown?: Memory['shown']): Partial<Memory> {
  return { list, shown, counted: undefined, focus: list.length === 1 ? list : [] };
}

/** The todos that a tool answered with. */
export function todosIn({ todos }: CallResult['value']): Todo[] {
  return (todos as Todo[] | undefined) ?? [];
}

/** A friendly sentence for what did not work, from the agent or the tool; never the raw error. */
export function failure({ value }: CallResult): string {
  const sentence = value.tell_the_person ?? value.user_message;
  return typeof sentence === 'string' ? sentence : "I'm having trouble with that. Please try again.";
}
