import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

export const todoSettings = {
  schema: z.strictObject({
    timeZone: z
      .string()
      .refine(isTimeZone, { error: 'Not a time zone; use a name such as Europe/Berlin' })
      .optional()
      .describe('The time zone that due dates are meant in, such as Europe/Berlin; the one of the machine when not set'),
  }),
  environment: { timeZone: 'MILLRACE_TIME_ZONE' },
} satisfies Settings;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
