import { type Annotations, quietLimits } from '@millrace/kernel';
import { z } from 'zod';

export const workflowName = quietLimits(z.string().min(1, 'Name the workflow by its id, name or path').max(1000));
export const nodeName = quietLimits(z.string().min(1, 'Name the node by its id or name').max(1000));
export const workflowData = z.record(z.string(), z.unknown());

/** Models often write an object as JSON text: that is read, too. */
export const parameters = z.preprocess((value) => (value === null ? {} : fromText(value)), z.record(z.string(), z.unknown()));
/** A whole workflow as a caller gives it. */
export const givenWorkflow = z.preprocess(fromText, workflowData);

const coordinate = z.number().default(0).meta({ default: undefined });

/** A place on the canvas, as [x, y] and as text too. */
export const position = z.preprocess(pointOf, z.strictObject({ x: coordinate, y: coordinate }));

/** The name of a port; its index as a number does too. */
export const portName = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  quietLimits(z.string().trim().min(1).max(200)),
);

function fromText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function pointOf(value: unknown): unknown {
  const pair = typeof value === 'string' ? /^\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*$/.exec(value)?.slice(1) : undefined;
  const given = pair ?? fromText(value);
  const number = (part: unknown) => (typeof part === 'string' && part.trim() !== '' ? Number(part) : part);
  if (Array.isArray(given) && given.length === 2) return { x: number(given[0]), y: number(given[1]) };
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, part]) => [key, number(part)]));
}

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
