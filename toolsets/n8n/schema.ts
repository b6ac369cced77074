import type { Annotations } from '@millrace/kernel';
import { z } from 'zod';

export const workflowName = z.string().min(1, 'Name the workflow by its id, name or path').max(1000);
export const nodeName = z.string().min(1, 'Name the node by its id or name').max(1000);
export const parameters = z.record(z.string(), z.unknown());
export const workflowData = z.record(z.string(), z.unknown());

export const finding = z.object({
  code: z.string(),
  node: z.string().nullable(),
  path: z.string(),
  message: z.string(),
  fix: z.string(),
});

/** Remarks on what was done; left out when there are none. */
export const warnings = z.array(z.string()).optional();

export function remarks(notes: readonly string[]): { warnings?: string[] } {
  return notes.length > 0 ? { warnings: [...notes] } : {};
}

export function reading(title: string): Annotations {
  return { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
}

export function editing(title: string, options: { destructive?: boolean; idempotent?: boolean } = {}): Annotations {
  return {
    title,
    readOnlyHint: false,
    destructiveHint: options.destructive ?? false,
    idempotentHint: options.idempotent ?? false,
    openWorldHint: false,
  };
}
