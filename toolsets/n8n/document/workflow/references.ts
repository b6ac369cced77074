import { Failure, isRecord } from '@millrace/kernel';
import { renameInConnections, withKey } from './connections.ts';
import type { Workflow, WorkflowNode } from './model.ts';
import { quoted } from './nodes.ts';

/** Parameters that hold code, which names nodes without being an expression. */
const CODE = new Set(['jsCode', 'pythonCode', 'functionCode', 'code', 'html']);

/** `$('Name')`, `$node["Name"]`, `$items("Name")`, and Python's `_` for `$`; quotes may be escaped once more inside a text. */
const REFERENCE = /([$_](?:\(|items\(|node\[)\s*)(\\*)(['"`])((?:\\.|(?!\2\3)[\s\S])*?)\2\3/g;
const MEMBER = /([$_]node)\.([A-Za-z_$][\w$]*)/g;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Everything that refers to a node by its name says the new one. Answers how many texts were changed. */
export function renameInExpressions(workflow: Workflow, from: string, to: string): number {
  let count = 0;
  const rename = (text: string): string => {
    const renamed = renameReferences(text, from, to);
    if (renamed !== text) count++;
    return renamed;
  };
  for (const node of workflow.nodes) if (node.parameters) node.parameters = mapMembers(node.parameters, rename);
  return count;
}

export function referrersOf(workflow: Workflow, name: string): string[] {
  return workflow.nodes
    .filter((node) => {
      let found = false;
      mapTexts(node.parameters, (text) => {
        found ||= referencesIn(text).has(name);
        return text;
      });
      return found && node.name !== name;
    })
    .map((node) => node.name);
}

export function referencesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, , slashes = '', , inner = ''] of text.matchAll(REFERENCE)) names.add(unescaped(inner, slashes));
  for (const [, , name = ''] of text.matchAll(MEMBER)) names.add(name);
  return names;
}

export function renameReferences(text: string, from: string, to: string): string {
  const quotedOnes = text.replace(REFERENCE, (whole, call: string, slashes: string, quote: string, inner: string) =>
    unescaped(inner, slashes) === from ? `${call}${slashes}${quote}${escaped(to, quote, slashes)}${slashes}${quote}` : whole,
  );
  return quotedOnes.replace(MEMBER, (whole, object: string, name: string) => {
    if (name !== from) return whole;
    return IDENTIFIER.test(to) ? `${object}.${to}` : `${object}[${JSON.stringify(to)}]`;
  });
}

function unescaped(inner: string, slashes: string): string {
  const once = inner.replace(/\\([\s\S])/g, '$1');
  return slashes ? once.replace(/\\([\s\S])/g, '$1') : once;
}

function escaped(name: string, quote: string, slashes: string): string {
  const once = name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  const template = quote === '`' ? once.replaceAll('${', '\\${') : once;
  return slashes ? template.replaceAll('\\', '\\\\') : template;
}

/** Applies `change` to every expression and every text of code in a value. */
function mapTexts(value: unknown, change: (text: string) => string, key = ''): unknown {
  if (typeof value === 'string') return value.startsWith('=') || CODE.has(key) ? change(value) : value;
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, change, key));
  return isRecord(value) ? mapMembers(value, change) : value;
}

function mapMembers(record: Record<string, unknown>, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, mapTexts(member, change, name)]));
}

/** Gives a node another name, everywhere: connections, expressions, pinned and static data. */
export function renameNode(workflow: Workflow, node: WorkflowNode, to: string): void {
  const from = node.name;
  if (from === to) return;
  if (workflow.nodes.some((other) => other !== node && other.name === to)) {
    throw new Failure('conflict', `There is a node called ${quoted(to)} already`, { details: { name: to } });
  }
  const isOnlyOne = workflow.nodes.every((other) => other === node || other.name !== from);
  node.name = to;
  // The connections of a name that two nodes share belong to the other one.
  if (!isOnlyOne) return;
  renameInConnections(workflow, from, to);
  renameInExpressions(workflow, from, to);
  if (workflow.pinData) workflow.pinData = withKey(workflow.pinData, from, to);
  const { staticData } = workflow;
  if (isRecord(staticData)) workflow['staticData'] = withKey(staticData, `node:${from}`, `node:${to}`);
}
