import { z } from 'zod';
import { recordOf } from '../flow/node.ts';

const MOST_UPLOAD_CHARACTERS = 20 * 1024 * 1024;
const MOST_HISTORY = 200;

export const history = z
  .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
  .max(MOST_HISTORY)
  .describe('Earlier messages of the conversation, the oldest first');

export const uploads = z
  .array(
    z.strictObject({
      name: z.string().min(1).describe('File name'),
      data: z.string().min(1).describe('A data: URI with base64 content, or an http(s) address'),
      mime: z.string().optional().describe('Media type; read from the data: URI when left out'),
      type: z.enum(['file', 'file:rag', 'audio', 'url']).optional().describe('How Flowise is to take it; found out when left out'),
    }),
  )
  .max(20)
  .superRefine((files, context) => {
    const characters = files.reduce((sum, file) => sum + file.data.length, 0);
    if (characters <= MOST_UPLOAD_CHARACTERS) return;
    context.addIssue({ code: 'custom', message: 'uploads must stay below 20 MB together', params: { constraint: 'maxLength' } });
  })
  .describe('Files for the flow');

export interface Asked {
  question: string;
  session_id?: string | undefined;
  history?: z.output<typeof history> | undefined;
  uploads?: z.output<typeof uploads> | undefined;
  overrides?: Record<string, unknown> | undefined;
  form?: Record<string, unknown> | undefined;
}

/** What Flowise is sent to run a flow. The session counts only inside overrideConfig. */
export function bodyOf({ question, session_id, history: earlier, uploads: files, overrides, form }: Asked): Record<string, unknown> {
  const overrideConfig = { ...overrides, ...(session_id !== undefined && { sessionId: session_id }) };
  return {
    question,
    ...(earlier && { history: earlier.map(({ role, content }) => ({ role: role === 'user' ? 'userMessage' : 'apiMessage', content })) }),
    ...(files && { uploads: files.map(uploadOf) }),
    ...(recordOf(form) && { form }),
    ...(Object.keys(overrideConfig).length > 0 && { overrideConfig }),
  };
}

function uploadOf({ name, data, mime, type }: z.output<typeof uploads>[number]): object {
  const media = mime ?? /^data:([^;,]+)/.exec(data)?.[1] ?? 'application/octet-stream';
  const kind = type ?? (media.startsWith('audio/') ? 'audio' : data.startsWith('data:') ? 'file' : 'url');
  return { name, data, mime: media, type: kind };
}
