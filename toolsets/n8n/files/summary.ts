import { createHash } from 'node:crypto';
import type { Workflow } from '../workflow/model.ts';

/** What lists and discovery need to know of a workflow, so that files need not be kept in memory. */
export interface Summary {
  id: string | undefined;
  name: string | undefined;
  description: string;
  nodeCount: number;
  /** Distinct types, in the order of the file. */
  types: string[];
  active: boolean;
}

const MAX_DESCRIPTION = 500;

export function summaryOf(workflow: Workflow): Summary {
  const working = workflow.nodes.filter((node) => node.type !== STICKY_NOTE);
  return {
    id: idText(workflow) || undefined,
    name: typeof workflow.name === 'string' && workflow.name !== '' ? workflow.name : undefined,
    description: descriptionOf(workflow).slice(0, MAX_DESCRIPTION),
    nodeCount: working.length,
    types: [...new Set(working.map((node) => node.type))],
    active: workflow.active === true,
  };
}

/** The id as text; empty where there is none that can be used. */
export function idText(workflow: Workflow): string {
  const id: unknown = workflow.id;
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '';
}

export const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** The workflow's own description, else the text of its first note. */
function descriptionOf(workflow: Workflow): string {
  const meta = workflow['meta'] as { description?: unknown } | undefined | null;
  for (const text of [workflow.description, meta?.description]) if (typeof text === 'string' && text.trim()) return text.trim();
  const note = workflow.nodes.find((node) => node.type === STICKY_NOTE)?.parameters?.['content'];
  return typeof note === 'string' ? note.replace(/\s+/g, ' ').trim() : '';
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
