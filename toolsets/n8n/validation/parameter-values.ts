import { nearest } from '@millrace/kernel';
import { isGroup, type Property, type PropertyGroup } from '../catalogue/description.ts';
import type { Parameters, RuledNode } from '../catalogue/parameter-rules.ts';
import type { NodeType } from '../catalogue/type-store.ts';
import type { OpenedPack } from '../pack/opened-pack.ts';
import { checkConditions } from './filter-conditions.ts';
import { type Findings, listed, quoted } from './findings.ts';
import { isObject } from './shape.ts';

export interface ValueContext {
  pack: OpenedPack;
  type: NodeType;
  /** With its parameters as the node will run with them. */
  node: RuledNode;
  path: string;
  findings: Findings;
}

/** n8n's editor once saved these; they mean nothing and harm nothing. */
const LEFTOVER = /^$|^requestOptions$|notice|warning|callout/i;

/** Values that n8n accepts though the descriptions do not list them. */
const ALSO_ACCEPTED = new Set(['__CUSTOM_API_CALL__']);
const ALSO_ACCEPTED_BY: Record<string, string[]> = { 'n8n-nodes-base.code': ['python'] };

/** The kind of a form's field: what n8n does not know becomes a line of text. */
const TOLERANT = new Set(['fieldType']);

/** Parameters that the type does not have, and values that a parameter cannot have: n8n drops or misreads both in silence. */
export function checkValues(properties: readonly Property[], values: Parameters, context: ValueContext, level?: Parameters): void {
  const { pack, type, node } = context;
  for (const [name, value] of Object.entries(values)) {
    const named = properties.filter((property) => property.name === name);
    if (named.length === 0) {
      reportUnknown(name, properties, context);
      continue;
    }
    if (value === undefined || value === null || isExpression(value)) continue;
    const shown = named.filter((property) =>
      pack.rules.displayParameter(level ?? node.parameters, property, node, type.description, node.parameters),
    );
    if (shown.length > 0) checkValue(shown, value, { ...context, path: `${context.path}.${name}` });
  }
}

/** Several properties may share a name and be shown at once: the value has to suit one of them. */
function checkValue(shown: Property[], value: unknown, context: ValueContext): void {
  const [property] = shown as [Property];
  if (shown.some((other) => other.type !== property.type)) return;
  if (property.type === 'options') checkOption(shown, [value], context);
  else if (property.type === 'multiOptions') checkOption(shown, Array.isArray(value) ? value : [value], context);
  else if (property.type === 'collection') checkCollection(shown, value, context);
  else if (property.type === 'fixedCollection') checkFixedCollection(shown, value, context);
  else if (property.type === 'filter') checkConditions(value, context);
}

function checkOption(shown: Property[], chosen: unknown[], { findings, node, path }: ValueContext): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (
    shown.some(
      (property) => property.allowArbitraryValues || property.typeOptions?.['loadOptionsMethod'] || property.typeOptions?.['loadOptions'],
    )
  )
    return;
  const values = shown.flatMap((property) => (property.options ?? []).flatMap((option) => (isGroup(option) ? [] : [option.value])));
  if (values.length === 0) return;
  const known = new Set(values.map(String));
  const accepted = (value: string) => known.has(value) || ALSO_ACCEPTED.has(value) || ALSO_ACCEPTED_BY[node.type]?.includes(value);
  for (const value of chosen) {
    if (isObject(value) || isExpression(value) || value === '' || accepted(String(value))) continue;
    const [close] = nearest(String(value), known, 1);
    findings[TOLERANT.has(name) ? 'warn' : 'error']({
      code: 'invalid_option',
      node: node.name,
      path,
      message: `${quoted(value)} is none of the values of ${name}`,
      fix: close ? `Use ${close}, or another of ${listed(known)}` : `Use one of ${listed(known)}`,
    });
  }
}

function checkCollection(shown: Property[], value: unknown, context: ValueContext): void {
  const members = shown.flatMap((property) => (property.options ?? []) as Property[]);
  for (const [item, path] of items(value, context.path)) checkValues(members, item, { ...context, path }, item);
}

function checkFixedCollection(shown: Property[], value: unknown, context: ValueContext): void {
  if (!isObject(value)) return;
  const groups = shown.flatMap((property) => (property.options ?? []) as PropertyGroup[]).filter(isGroup);
  for (const [name, content] of Object.entries(value)) {
    const members = groups.filter((group) => group.name === name).flatMap((group) => group.values);
    if (members.length === 0) {
      reportUnknown(name, groups, context);
      continue;
    }
    for (const [item, path] of items(content, `${context.path}.${name}`)) checkValues(members, item, { ...context, path }, item);
  }
}

function* items(value: unknown, path: string): Generator<[Parameters, string]> {
  if (isObject(value)) yield [value, path];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) if (isObject(item)) yield [item, `${path}[${index}]`];
}

function reportUnknown(name: string, known: readonly { name: string }[], { findings, node, path }: ValueContext): void {
  const names = new Set(known.map((property) => property.name));
  const [close] = nearest(name, names, 1);
  findings[LEFTOVER.test(name) ? 'warn' : 'error']({
    code: 'unknown_parameter',
    node: node.name,
    path: `${path}.${name.slice(0, 100)}`,
    message: `${node.type} has no parameter ${quoted(name)} here`,
    fix: close ? `Rename it to ${close}, or remove it` : `Remove it; there are ${listed(names)}`,
  });
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('=');
}
