import { type Settings, z } from 'millrace';

export const notesSettings = {
  schema: z.strictObject({ longest: z.number().int().min(1).default(2000).describe('Characters that a note may have') }),
  environment: { longest: 'NOTES_LONGEST' },
} satisfies Settings;
