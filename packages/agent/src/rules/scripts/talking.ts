import type { Small } from '../intents.ts';

const EXAMPLES = `- add buy milk and call mom tomorrow at 5pm
- what's due this week?
- mark the first one as done
- move the dentist to friday
- delete the oldest todo
- undo`;

const WORDS: Record<Small, string> = {
  greeting: 'Hello! What shall I do? For example: "show my todos", or "remind me to call mom tomorrow".',
  well: 'Fine, thank you. What shall I do with your todos?',
  thanks: "You're welcome.",
  bye: 'Goodbye. Everything is saved.',
  okay: 'All right.',
  sorry: 'No problem. Say "undo" if something should be taken back.',
  who: 'I am the chat of Millrace. There is no language model behind me right now, only rules: I keep your todos. Say "help" for examples.',
  help: `I keep your todos. You can say, for example:\n${EXAMPLES}`,
  'how-delete': `Just say it. Nothing was changed. For example:\n${EXAMPLES}`,
  correct: 'Say "undo" and I take the last change back, or tell me what to change, for example: rename it to "…".',
  'cannot-redo': 'I cannot do that again by myself. Please say once more what you want.',
};

export function smallTalk(which: Small): string {
  return WORDS[which];
}

export const CANNOT =
  'I cannot help with that: without a language model I only keep your todos, and I changed nothing. Say "help" for examples, or configure a model (models.provider) for more.';
