import { randomBytes } from 'node:crypto';
import type { Workflow } from './model.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id as n8n gives its workflows: 16 letters and digits. */
export function newWorkflowId(): string {
  const letters: string[] = [];
  while (letters.length < 16) {
    // 248 is the largest multiple of 62 in a byte: beyond it some letters would come more often.
    for (const byte of randomBytes(24)) if (byte < 248 && letters.length < 16) letters.push(ALPHABET[byte % ALPHABET.length] as string);
  }
  return letters.join('');
}

/** A name as part of a file name or of a URI: lower-case letters, digits and hyphens. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug || 'workflow';
}

/** The id as text; empty where there is none that can be used. */
export function idText(workflow: Workflow): string {
  const id: unknown = workflow.id;
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '';
}
