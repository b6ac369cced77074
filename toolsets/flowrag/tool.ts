import { brief, quietLimits, speakingToolsOf } from '@millrace/kernel';
import { z } from 'zod';
import type { Hop } from './graph/flow.ts';
import type { FlowragServices } from './services.ts';

export const tool = speakingToolsOf<FlowragServices>();

/** A whole number from 1 on, as an argument. */
export function countUpTo(most: number, field: string) {
  const range = `${field} must be from 1 to ${most}`;
  return quietLimits(z.number().int(`${field} must be a whole number`).min(1, range).max(most, range));
}

/** The name of an entity as an argument. */
export function entityName(field: string) {
  return quietLimits(z.string().max(500, `${field} may have at most 500 characters`))
    .refine((name) => name.trim() !== '', { message: `${field} must not be empty`, params: { constraint: 'minLength' } })
    .describe('Entity name or ID');
}

export const inferredToo = z.boolean().optional().describe('Include inferred relations');

export const evidenceList = z.array(z.object({ path: z.string(), line: z.number(), text: z.string() }));

export const hopList = z.array(
  brief(
    z.object({ from: z.string(), type: z.string(), to: z.string(), confidence: z.number(), inferred: z.boolean(), evidence: evidenceList }),
  ),
);

export function hopData({ from, type, to, confidence, inferred, evidence }: Hop) {
  return { from, type, to, confidence, inferred, evidence };
}

/** Where the first evidence stands: " (docs/a.md:L3)". */
export function placeOf(evidence: readonly { path: string; line: number }[]): string {
  const [first] = evidence;
  return first ? ` (${first.path}:L${first.line})` : '';
}

/** The custom fields of the schema. */
export const fieldValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
