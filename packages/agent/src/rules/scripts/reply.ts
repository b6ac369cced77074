import type { Intent } from '../intents.ts';
import type { Memory } from '../memory.ts';
import type { Scene } from '../script.ts';

/** What is said, and what is remembered. */
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
