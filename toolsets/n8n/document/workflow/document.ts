import { Failure, isNestedDeeperThan, isRecord } from '@millrace/kernel';
import { equal, findFault } from '../text/json.ts';
import { N8N_LAYOUT, render } from '../text/layout.ts';
import { hasByteOrderMark, rewriteJson } from '../text/rewrite.ts';
import type { Workflow } from './model.ts';

/** n8n itself takes 16 MB; anything larger is not a workflow. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 400;

export interface WorkflowDocument {
  bytes: Buffer;
  workflow: Workflow;
}

/** Reads a file's text; `shown` is what the file is called in an error. */
export function parseDocument(bytes: Buffer, shown: string): WorkflowDocument {
  const value = parseJson(bytes, shown);
  const problem = notAWorkflow(value);
  if (problem)
    throw new Failure('conflict', `${shown} is not an n8n workflow: ${problem}`, { details: { path: shown, reason: 'foreign' } });
  return { bytes, workflow: value as Workflow };
}

function parseJson(bytes: Buffer, shown: string): unknown {
  const text = bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw brokenJson(bytes, text, shown, error);
  }
  if (!isNestedDeeperThan(value, MAX_DEPTH)) return value;
  throw new Failure('conflict', `${shown} is nested more than ${MAX_DEPTH} levels deep`, { details: { path: shown, reason: 'depth' } });
}

function brokenJson(bytes: Buffer, text: string, shown: string, cause: unknown): Failure {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const fault = utf16 ? { line: 1, column: 1, problem: 'the file is UTF-16, and JSON has to be UTF-8' } : findFault(text);
  const { line, column, problem } = fault ?? { line: 1, column: 1, problem: 'it cannot be parsed' };
  return new Failure('conflict', `${shown} is not valid JSON: line ${line}, column ${column}: ${problem}`, {
    details: { path: shown, reason: 'broken', line, column },
    cause,
  });
}

const WRAPPERS = ['workflow', 'workflowData', 'data'];

/** The workflow inside what replies and template libraries put around one; anything else as it is. */
export function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 && notAWorkflow(value[0]) === undefined ? value[0] : value;
  if (!isRecord(value) || 'nodes' in value) return value;
  const inside = WRAPPERS.map((key) => value[key]).find((content) => isRecord(content) && Array.isArray(content['nodes']));
  return inside ?? value;
}

/** Why a JSON value is not a workflow; undefined when it is one, even if it needs repair. */
export function notAWorkflow(value: unknown): string | undefined {
  if (Array.isArray(value)) return notOneWorkflow(value);
  if (!isRecord(value)) return 'it is not an object';
  const { nodes, connections, edges } = value;
  if (!Array.isArray(nodes)) {
    const key = Object.keys(value).find((name) => WRAPPERS.includes(name) && notAWorkflow(value[name]) === undefined);
    return key ? `the workflow is what it holds under "${key}"; put that alone into the file` : 'it has no list of nodes';
  }
  if (connections === undefined && Array.isArray(edges)) return 'it has edges instead of connections, as a Flowise flow has';
  if (connections === null || (connections !== undefined && typeof connections !== 'object')) return 'its connections are not an object';
  const strange = nodes.findIndex((node) => !isRecord(node) || typeof node['type'] !== 'string');
  if (strange >= 0) return `nodes[${strange}] has no type`;
  return nodes.length === 0 && connections === undefined ? 'it has neither nodes nor connections' : undefined;
}

function notOneWorkflow(list: readonly unknown[]): string {
  return list.length > 0 && list.every((element) => notAWorkflow(element) === undefined)
    ? `it is a list of ${list.length} workflows; put each of them into a file of its own`
    : 'it is a list, not an object';
}

/** The same file saying something else: only what differs is written again. */
export function changedDocument(document: WorkflowDocument, workflow: Workflow): WorkflowDocument {
  const bytes = rewriteJson(document.bytes, document.workflow, workflow);
  const written: unknown = JSON.parse(bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0));
  if (!equal(written, workflow)) throw new Error('the rewritten file does not say what it should');
  return { bytes, workflow };
}

export function newDocument(workflow: Workflow): WorkflowDocument {
  return { bytes: Buffer.from(`${render(workflow, N8N_LAYOUT, '', true)}\n`, 'utf8'), workflow };
}
