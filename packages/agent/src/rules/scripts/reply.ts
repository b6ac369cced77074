import type { Intent } from '../intents.ts';
import type { Memory } from '../memory.ts';
import type { CallResult, Scene } from '../script.ts';

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

export type IntentOf<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>;

/** A friendly sentence for what did not work, from the agent or the tool; never the raw error. */
export function failure({ value }: CallResult): string {
  const sentence = value.tell_the_person ?? value.user_message;
  return typeof sentence === 'string' ? sentence : "I'm having trouble with that. Please try again.";
}
