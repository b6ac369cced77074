import { isRecord } from '@millrace/kernel';
import type { FlowNode } from './flow-data.ts';

/** A node whose data is there, whatever else is missing. */
export interface ReadNode {
  id: string;
  /** The name of the Flowise node, '' when it says none. */
  name: string;
  label: string;
  data: Record<string, unknown>;
  inputs: Record<string, unknown>;
  /** It stands in another node, such as an iteration. */
  inside: boolean;
}

/** Reads a node written either way: everything in `data`, as the canvas does, or flat as {id, name, inputs}. */
export function readNode(node: FlowNode): ReadNode {
  const data = recordOf(node.data) ?? {};
  const name = textOf(data['name']) ?? textOf(node['name']) ?? '';
  return {
    id: textOf(node.id) ?? textOf(data['id']) ?? '',
    name,
    label: textOf(data['label']) ?? textOf(node['label']) ?? name,
    data,
    inputs: recordOf(data['inputs']) ?? recordOf(node['inputs']) ?? {},
    inside: textOf(node['parentNode']) !== undefined,
  };
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Nothing that counts as an answer. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

const REFERENCE = /^\{\{\s*([^{}.\s]+)\.data\.instance\s*\}\}$/;

/** The ids of the nodes that an anchor's value refers to. */
export function referencesOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (typeof one === 'string' ? (REFERENCE.exec(one)?.[1] ?? []) : []));
}

const MENTION = /\{\{\s*([^{}.\s]+)\.data\.instance\s*\}\}/g;

/** The ids of the nodes whose output stands somewhere in a text. */
export function mentionsIn(value: unknown): string[] {
  return typeof value === 'string' ? Array.from(value.matchAll(MENTION), (match) => match[1] ?? '') : [];
}

export function referenceTo(id: string): string {
  return `{{${id}.data.instance}}`;
}
