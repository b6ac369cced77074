import { jsonIn, recordOf } from '@millrace/kernel';
import { isAgentflowNode, type NodeDefinition } from '../nodes/definition.ts';
import { textOf } from './flow.ts';

/** One end that edges can leave a node from. */
export interface OutputEnd {
  /** The handle's id. */
  id: string;
  /** What an edge may call it: its number or its name. */
  names: string[];
  baseClasses: string[];
}

/** The anchors below a node, as the canvas keeps them. */
export function outputAnchorsOf(definition: NodeDefinition, id: string, inputs: Record<string, unknown>): object[] {
  if (definition.hideOutput) return [];
  if (isAgentflowNode(definition)) {
    if (!definition.outputs) return [{ id: `${id}-output-${definition.name}`, label: definition.label, name: definition.name }];
    return Array.from({ length: branchesOf(definition, inputs) }, (_, index) => ({
      id: `${id}-output-${index}`,
      label: index,
      name: index,
    }));
  }
  if (!definition.outputs) {
    const { name, type, description, baseClasses } = definition;
    return [{ id: handleOf(id, name, baseClasses), name, label: type, description, type: baseClasses.join(' | ') }];
  }
  if (definition.inputs.some((input) => input.type === 'conditionFunction'))
    return [
      { name: 'output', label: 'Output', type: 'options', options: conditionOptions(id, inputs), default: definition.outputs[0]?.name },
    ];
  const options = definition.outputs.map((output) => {
    const baseClasses = output.baseClasses ?? [];
    return { ...output, id: handleOf(id, output.name, baseClasses), type: baseClasses.join(' | ') };
  });
  return [{ name: 'output', label: 'Output', type: 'options', options, default: definition.outputs[0]?.name }];
}

/** Which of several outputs a node uses. */
export function outputsOf(definition: NodeDefinition, written: unknown, chosen: unknown): Record<string, unknown> {
  if (isAgentflowNode(definition) || !definition.outputs || definition.hideOutput) return recordOf(written);
  const output = textOf(recordOf(written)['output']) ?? textOf(chosen);
  return { output: output ?? definition.outputs[0]?.name };
}

/** The ends that edges can leave a complete node from. */
export function outputEndsOf(definition: NodeDefinition, id: string, data: Record<string, unknown>): OutputEnd[] {
  const anchors = Array.isArray(data['outputAnchors']) ? data['outputAnchors'].map((anchor) => recordOf(anchor)) : [];
  const chosen = textOf(recordOf(data['outputs'])['output']);
  return anchors.flatMap((anchor, index) => {
    const options = Array.isArray(anchor['options']) ? anchor['options'].map((option) => recordOf(option)) : undefined;
    const isEnd = (option: Record<string, unknown>) => !chosen || option['isAnchor'] === true || option['name'] === chosen;
    if (options) return options.filter(isEnd).map((option, number) => numbered(endOf(option, definition), number));
    const named = definition.outputs?.[index];
    const end = numbered(endOf(anchor, definition), index);
    return { ...end, names: [...end.names, ...(named ? [named.name, named.label.toLowerCase()] : [])] };
  });

  function numbered(end: OutputEnd, number: number): OutputEnd {
    return { ...end, names: [...end.names, String(number)] };
  }

  function endOf(anchor: Record<string, unknown>, of: NodeDefinition): OutputEnd {
    const classes = textOf(anchor['type'])
      ?.split('|')
      .map((one) => one.trim());
    return {
      id: textOf(anchor['id']) ?? `${id}-output-${of.name}`,
      names: [String(anchor['name'] ?? ''), ...(typeof anchor['label'] === 'string' ? [anchor['label']] : [])],
      baseClasses: classes ?? of.baseClasses,
    };
  }
}

/** A condition has an end for each of its cases; the last one is for everything else. */
function branchesOf(definition: NodeDefinition, inputs: Record<string, unknown>): number {
  const declared = definition.outputs?.length ?? 1;
  const conditions = inputs['conditions'];
  const scenarios = inputs['conditionAgentScenarios'];
  if (Array.isArray(conditions)) return Math.max(declared, conditions.length + 1);
  return Array.isArray(scenarios) ? Math.max(declared, scenarios.length) : declared;
}

function handleOf(id: string, name: string, baseClasses: string[]): string {
  return `${id}-output-${name}-${baseClasses.join('|')}`;
}

/** A sequential condition has an end for each name that its table or its code comes to, and one for everything else. */
function conditionOptions(id: string, inputs: Record<string, unknown>): object[] {
  const rows = parsedRows(inputs['conditionUI']).flatMap((row) => textOf(recordOf(row)['output']) ?? []);
  const returned = Array.from((textOf(inputs['conditionFunction']) ?? '').matchAll(/return\s+(["'`])(.+?)\1/g), (match) => match[2] ?? '');
  return [...new Set([...rows, ...returned, 'End'])].map((label) => {
    const name = camelCase(label);
    return { id: handleOf(id, name, ['Condition']), name, label, type: 'Condition', isAnchor: true };
  });
}

function parsedRows(value: unknown): unknown[] {
  const rows = typeof value === 'string' ? jsonIn(value) : value;
  return Array.isArray(rows) ? rows : [];
}

function camelCase(label: string): string {
  const words = label.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`))
    .join('');
}
