import { z } from 'millrace';
import { tool } from '../services.ts';

export const listNotes = tool({
  name: 'list_notes',
  description: 'List the notes of the signed-in user, newest first.',
  said: ['show me my notes', 'what did I note down', 'list all my notes'],
  access: 'read',
  annotations: { title: 'List notes', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({ notes: z.array(z.object({ id: z.string(), text: z.string(), created_at: z.string() })) }),

  run: async (_input, { services: { notes }, user }) => ({ notes: await notes.list(user.id) }),

  present: (data) => ({
    data,
    words: data.notes.length === 0 ? 'There are no notes yet.' : data.notes.map(({ text }) => `- ${text}`).join('\n'),
  }),
});
