import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { recordOf } from '../flow/node.ts';
import type { SentUpload } from './uploads.ts';

const MOST_HISTORY = 200;

export const history = quietLimits(
  z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() })).max(MOST_HISTORY),
).describe('Earlier messages, oldest first');

export interface Asked {
  question: string;
  session_id?: string | undefined;
  history?: z.output<typeof history> | undefined;
  uploads?: readonly SentUpload[] | undefined;
  overrides?: Record<string, unknown> | undefined;
  form?: Record<string, unknown> | undefined;
}

/** What Flowise is sent to run a flow. The session counts only inside overrideConfig, and a form takes the question's place. */
export function bodyOf({ question, session_id, history: earlier, uploads, overrides, form }: Asked): Record<string, unknown> {
  const overrideConfig = { ...overrides, ...(session_id !== undefined && { sessionId: session_id }) };
  const filledIn = Object.keys(recordOf(form) ?? {}).length > 0;
  return {
    ...(filledIn ? { form } : { question }),
    ...(earlier && { history: earlier.map(({ role, content }) => ({ role: role === 'user' ? 'userMessage' : 'apiMessage', content })) }),
    ...(uploads && { uploads }),
    ...(Object.keys(overrideConfig).length > 0 && { overrideConfig }),
  };
}
