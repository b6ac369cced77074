import { type Settings, z } from 'millrace';

export const notesSettings = {
  schema: z.strictObject({ longest: z.number().int().min(1).default(2000).describe('Maximum length of a note, in characters') }),
  environment: { longest: 'NOTES_LONGEST' },
} satisfies Settings;
