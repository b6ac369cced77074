import { brief } from '@millrace/kernel';
import { z } from 'zod';
import { CHATFLOW_TYPES, type Chatflow } from './client/chatflow.ts';
import { type Finding, publishedFinding } from './flow/findings.ts';
import { MOST_FLOW_BYTES } from './flow/flow.ts';

const LONGEST_NAME = 255;

export const chatflowId = z.string().min(1, 'chatflow_id must not be empty');

/** Characters as JSON Schema counts them, so that the advertised limits are the ones in force. */
export const chatflowName = z
  .string()
  .superRefine((name, context) => {
    const length = [...name].length;
    if (length >= 1 && length <= LONGEST_NAME) return;
    context.addIssue({
      code: 'custom',
      message: 'Chatflow name must be between 1 and 255 characters',
      params: { constraint: length === 0 ? 'minLength' : 'maxLength' },
    });
  })
  .meta({ minLength: 1, maxLength: LONGEST_NAME });

export const flowData = z
  .string()
  .min(1, 'flow_data must not be empty')
  .superRefine((text, context) => {
    const bytes = Buffer.byteLength(text);
    if (bytes < MOST_FLOW_BYTES) return;
    context.addIssue({
      code: 'custom',
      message: `flow_data must be below 1 MB (1,048,576 bytes) and has ${bytes.toLocaleString('en')} bytes`,
      params: { constraint: 'maxLength' },
    });
  });

export const chatflowType = z.enum(CHATFLOW_TYPES);

const dateTime = z.string().meta({ format: 'date-time' });

const chatflow = z.object({
  id: z.string(),
  name: z.string(),
  type: chatflowType,
  deployed: z.boolean(),
  createdDate: dateTime.optional(),
});

export const listedChatflow = z.object({
  id: chatflow.shape.id.describe('Unique chatflow identifier'),
  name: chatflow.shape.name.describe('Chatflow name'),
  type: chatflow.shape.type.describe('Chatflow type'),
  deployed: chatflow.shape.deployed.describe('Whether chatflow is deployed'),
  createdDate: chatflow.shape.createdDate.describe('Creation timestamp'),
});

export const warning = brief(
  z.object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    node: z.string().optional(),
    message: z.string(),
    fix: z.string().optional(),
  }),
);

export const chatflowDetails = chatflow.extend({
  flowData: z.string().optional().describe('JSON string containing nodes and edges'),
  updatedDate: dateTime.optional(),
});

export const createdChatflow = chatflow.extend({
  type: z.string(),
  warnings: z.array(warning).optional(),
});

export const updatedChatflow = chatflow.omit({ createdDate: true }).extend({
  type: z.string(),
  updatedDate: dateTime.optional(),
  warnings: z.array(warning).optional(),
});

export function listed(found: Chatflow): z.output<typeof listedChatflow> {
  const { id, name, type, deployed, createdDate } = found;
  return { id, name, type, deployed, ...(createdDate && { createdDate }) };
}

export function updated(found: Chatflow): z.output<typeof updatedChatflow> {
  const { id, name, type, deployed, updatedDate } = found;
  return { id, name, type, deployed, ...(updatedDate && { updatedDate }) };
}

/** Present only when there is something to say. */
export function withWarnings(findings: readonly Finding[]): { warnings?: z.output<typeof warning>[] } {
  return findings.length > 0 ? { warnings: findings.map(publishedFinding) } : {};
}
