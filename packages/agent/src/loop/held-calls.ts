import type { StoredCall, StoredMessage } from '../conversations/conversations.ts';
import { isYes } from '../rules/language/talk.ts';

/** A call that deletes something; not one that changes or adds. */
export interface Calls {
  tool: string;
  parameters: unknown;
}

const MOST_WITHOUT_ASKING = 1;
const TAKES_AWAY = /(?:^|_)(?:delete|remove|archive|clear|purge|erase)(?:_|$)/;

export function takesAway({ tool, parameters }: Calls): boolean {
  const { status } = (parameters ?? {}) as { status?: unknown };
  return TAKES_AWAY.test(tool) || status === 'archived';
}

/** What the person has just agreed to: the held calls of the previous answer, if they said yes to it. */
export function approvedCalls(history: readonly StoredMessage[], said: string): Set<string> {
  const asked = history.at(-1)?.calls.filter((call) => call.status === 'held') ?? [];
  return new Set(isYes(said) ? asked.map(keyOf) : []);
}

/** The calls of a step that wait for the person: deleting several things needs one confirmation, whatever the model thinks. */
export function callsToHold(step: readonly StoredCall[], before: readonly StoredCall[], approved: ReadonlySet<string>): StoredCall[] {
  const taking = step.filter((call) => takesAway(call) && !approved.has(keyOf(call)));
  const alreadyTaken = before.filter((call) => takesAway(call) && call.status === 'success' && !approved.has(keyOf(call))).length;
  return alreadyTaken + taking.length > MOST_WITHOUT_ASKING ? taking : [];
}

function keyOf({ tool, parameters }: Calls): string {
  return `${tool} ${JSON.stringify(parameters)}`;
}
