import type { Origin } from './call.ts';
import type { Question, User } from './ports.ts';
import type { Tool } from './tool.ts';
import type { Toolset } from './toolset.ts';
import type { JsonSchema } from './wire.ts';

/** One call on its way through the steps. Steps add what they find out. */
export interface Invocation {
  id: string;
  tool: Tool;
  toolset: Toolset;
  /** The input schema that the tool advertises. */
  inputSchema(): JsonSchema;
  parameters: unknown;
  origin: Origin;
  startedAt: Date;
  signal: AbortSignal;
  /** Known from the identify step on. */
  user: User | undefined;
  /** Known from the validate step on. */
  input: unknown;
}

export type Outcome =
  /** Steps may add notes for the wire; the value stays what the handler returned. */
  { kind: 'result'; value: unknown; notes?: unknown } | { kind: 'question'; question: Question; pendingId: string };

declare const passed: unique symbol;
/** Proof that the rest of the pipeline ran: only next() makes one, so a step that forgets to return it does not compile. */
export interface Passed {
  readonly [passed]: true;
  readonly outcome: Outcome;
}

export type Next = () => Promise<Passed>;
export type Step = (invocation: Invocation, next: Next) => Promise<Passed>;

/** An onion of steps around a core: the first step is the outermost. */
export function pipeline(steps: readonly Step[], core: (invocation: Invocation) => Promise<Outcome>) {
  return async function run(invocation: Invocation): Promise<Outcome> {
    const dispatch = async (index: number): Promise<Passed> => {
      const step = steps[index];
      if (step) return step(invocation, () => dispatch(index + 1));
      return { outcome: await core(invocation) } as Passed;
    };
    return (await dispatch(0)).outcome;
  };
}

export function identified(invocation: Invocation): User {
  if (!invocation.user) throw new Error('the identify step has not run');
  return invocation.user;
}
