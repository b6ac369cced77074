import { Failure, jsonIn, quietLimits, recordOf } from '@millrace/kernel';
import { z } from 'zod';
import type { Chatflow } from '../client/chatflow.ts';
import type { AcceptedUploads } from '../client/flowise.ts';
import { textOf } from '../flow/flow.ts';

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
  const filledIn = Object.keys(recordOf(form)).length > 0;
  return {
    ...(filledIn ? { form } : { question }),
    ...(earlier && { history: earlier.map(({ role, content }) => ({ role: role === 'user' ? 'userMessage' : 'apiMessage', content })) }),
    ...(uploads && { uploads }),
    ...(Object.keys(overrideConfig).length > 0 && { overrideConfig }),
  };
}

const MOST_UPLOAD_CHARACTERS = 20 * 1024 * 1024;
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i;
const FILE_NAME = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u;
const WEB_ADDRESS = /^https?:\/\//i;
/** Files whose content a model can read as it is. */
const TEXT = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|sql))|\+(json|xml)$/i;

export const uploads = quietLimits(
  z
    .array(
      z.strictObject({
        name: quietLimits(z.string().min(1).max(255).regex(FILE_NAME, 'name must be a file name without folders')).meta({
          pattern: undefined,
        }),
        data: z
          .string()
          .refine((data) => DATA_URI.test(data) || WEB_ADDRESS.test(data), {
            message: 'data must be a data: URI, such as data:image/png;base64,…, or an http(s) address',
            params: { constraint: 'format' },
          })
          .describe('data: URI or image URL'),
        mime: z.string().optional(),
        type: z.enum(['file', 'file:full', 'file:rag', 'audio', 'url']).optional(),
      }),
    )
    .max(20),
)
  .superRefine((files, context) => {
    const characters = files.reduce((sum, file) => sum + file.data.length, 0);
    if (characters <= MOST_UPLOAD_CHARACTERS) return;
    context.addIssue({ code: 'custom', message: 'uploads must stay below 20 MB together', params: { constraint: 'maxLength' } });
  })
  .describe('Files for the flow');

type Given = z.output<typeof uploads>[number];

/** A file as Flowise takes it. */
export interface SentUpload {
  name: string;
  data: string;
  mime: string;
  type: 'file' | 'file:full' | 'file:rag' | 'audio' | 'url';
}

export function uploadOf({ name, data, mime, type }: Given): SentUpload {
  const media = mime ?? (DATA_URI.exec(data)?.[1] || (WEB_ADDRESS.test(data) ? 'image/png' : 'application/octet-stream'));
  const kind = type ?? kindOf(data, media);
  return { name, data: kind === 'file:full' ? textIn(data) : data, mime: media, type: kind };
}

function kindOf(data: string, media: string): SentUpload['type'] {
  if (WEB_ADDRESS.test(data)) return 'url';
  if (media.startsWith('image/')) return 'file';
  if (media.startsWith('audio/')) return 'audio';
  return TEXT.test(media) ? 'file:full' : 'file:rag';
}

function textIn(data: string): string {
  const head = DATA_URI.exec(data);
  if (!head) return data;
  const content = data.slice(head[0].length);
  if (head[2]) return Buffer.from(content, 'base64').toString('utf8');
  try {
    return decodeURIComponent(content);
  } catch {
    return content;
  }
}

/** Refuses what Flowise would take and never look at. */
export function demandAccepted(files: readonly SentUpload[], accepted: AcceptedUploads): void {
  for (const { name, mime, type } of files) {
    const isImage = type === 'url' || (type === 'file' && mime.startsWith('image/'));
    if (isImage && !accepted.images) throw ignored(name, 'images', 'switch on "Allow Image Uploads" in the chat model of the flow');
    if (type === 'audio' && !accepted.speech) throw ignored(name, 'audio', 'switch on "Speech to Text" in the configuration of the flow');
    if (type === 'file:rag' && !accepted.documents)
      throw ignored(name, 'documents', 'switch on "File Upload" in its vector store, or send the content as text');
  }
}

function ignored(name: string, what: string, fix: string): Failure {
  return new Failure('invalid_input', `The chatflow takes no ${what}, so it was not run`, {
    details: { field: 'uploads', value: name.slice(0, 100), constraint: 'accepted' },
    fix: { instruction: `In Flowise ${fix}` },
  });
}

/** What a flow lets a run override. Flowise drops everything else without a word. */
interface Permitted {
  inputs: string[];
  variables: string[];
}

const MOST_SHOWN = 50;

function permittedOverrides({ settings }: Chatflow): Permitted {
  const config = recordOf(recordOf(jsonIn(settings.apiConfig ?? ''))['overrideConfig']);
  if (config['status'] !== true) return { inputs: [], variables: [] };
  const nodes = Object.values(recordOf(config['nodes']));
  return {
    inputs: [...new Set(nodes.flatMap((inputs) => enabledOf(inputs)))].sort(),
    variables: enabledOf(config['variables']).sort(),
  };
}

/** Refuses what Flowise would ignore: a run that is not the one asked for is worse than none. */
export function demandPermitted(overrides: Record<string, unknown>, chatflow: Chatflow): void {
  const permitted = permittedOverrides(chatflow);
  const refused = Object.keys(overrides).flatMap((name) => {
    if (name !== 'vars') return permitted.inputs.includes(name) ? [] : [name];
    return Object.keys(recordOf(overrides['vars'])).flatMap((one) => (permitted.variables.includes(one) ? [] : [`vars.${one}`]));
  });
  if (refused.length === 0) return;
  const all = [...permitted.inputs, ...permitted.variables.map((name) => `vars.${name}`)];
  const says = all.length > 0 ? `It permits ${all.slice(0, MOST_SHOWN).join(', ')}` : 'It permits none';
  throw new Failure('invalid_input', `The chatflow does not permit to override ${refused.slice(0, 10).join(', ')}. ${says}`, {
    details: { field: 'overrides', value: refused.slice(0, MOST_SHOWN), constraint: 'permitted', permitted: all.slice(0, MOST_SHOWN) },
    fix: { instruction: 'Permit it in Flowise: the configuration of the chatflow, Security, Override Configuration' },
  });
}

function enabledOf(rows: unknown): string[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row) => (recordOf(row)['enabled'] === true ? (textOf(recordOf(row)['name']) ?? []) : []));
}
