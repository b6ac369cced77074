import type { Small } from '../intents.ts';

const EXAMPLES = `- add buy milk and call mom tomorrow at 5pm
- what's due this week?
- mark the first one as done
- move the dentist to friday
- delete the oldest todo
- undo`;

const WORDS: Record<Small, string> = {
  greeting: 'Hello! What should I do? For example: "show my todos", or "remind me to call mom tomorrow".',
  well: 'Fine, thank you. What should I do with your todos?',
  thanks: "You're welcome.",
  bye: 'Goodbye. Everything is saved.',
  okay: 'OK.',
  sorry: 'No problem. Say "undo" to take back the last change.',
  who: 'I am the chat of Millrace. Right now I work without a language model, by rules, and manage your todos. Say "help" for examples.',
  help: `I manage your todos. You can say, for example:\n${EXAMPLES}`,
  'how-delete': `Just say it. Nothing was changed. For example:\n${EXAMPLES}`,
  correct: 'Say "undo" to take back the last change, or tell me what to change, for example: rename it to "…".',
  'cannot-redo': "I can't repeat that by myself. Please say again what you want.",
};

export function smallTalk(which: Small): string {
  return WORDS[which];
}

export const CANNOT =
  'I can\'t help with that. Without a language model I only manage todos. Nothing was changed. Say "help" for examples, or configure a model (models.provider) for more.';
