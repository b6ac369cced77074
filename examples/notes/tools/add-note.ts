import { Failure, z } from 'millrace';
import { tool } from '../services.ts';

export const addNote = tool({
  name: 'add_note',
  description: 'Save a note for the signed-in user. Returns its id.',
  said: ['note down that the meeting is moved', 'save this as a note', 'write a note about the parking permit'],
  access: 'write',
  annotations: { title: 'Add note', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ text: z.string().min(1, 'A note cannot be empty').describe('What to note') }),
  output: z.object({ id: z.string() }),

  run({ text }, { services: { notes }, user }) {
    if (text.length > notes.longest) {
      throw new Failure('invalid_input', `A note may have ${notes.longest} characters, and this one has ${text.length}`, {
        details: { field: 'text', constraint: 'maxLength' },
        fix: { instruction: 'Shorten it, or split it into two notes' },
      });
    }
    return notes.add(user.id, text);
  },

  present: ({ id, text }) => ({ data: { id }, words: `Noted: ${text}` }),
});
