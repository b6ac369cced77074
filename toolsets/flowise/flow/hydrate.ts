import { isRecord, recordOf } from '@millrace/kernel';
import {
  choosesModel,
  type Definitions,
  type InputDefinition,
  isAgentflowNode,
  isParameter,
  isStickyNote,
  isVisible,
  type NodeDefinition,
} from '../nodes/definition.ts';
import { connect } from './connect.ts';
import { type Finding, quoted, warning } from './findings.ts';
import { type Flow, type FlowNode, isEmpty, readNode, textOf } from './flow.ts';
import { outputAnchorsOf, outputsOf } from './outputs.ts';

export interface HydratedFlow {
  flow: Flow;
  /** The ids of the nodes that were filled in. */
  completed: string[];
  /** What had to be guessed. */
  guessed: Finding[];
}

/** Fields of a definition that are for Flowise's own use and not for a saved flow. */
const NOT_SAVED = new Set('inputs outputs credential filePath icon loadMethods vectorStoreMethods badge deprecateMessage hint'.split(' '));

/** Gives every known node what the canvas and the engine need, from the live definitions; what is written stays as it is. */
export function hydrate(given: Flow, definitions: Definitions): HydratedFlow {
  const completed: string[] = [];
  const taken = new Set(given.nodes.map((node) => readNode(node).id).filter(Boolean));
  const nodes = given.nodes.map((node) => {
    const read = readNode(node);
    const id = read.id || freeId(read.name || 'node', taken);
    const definition = definitions.get(read.name);
    if (!definition) return { ...node, id, data: { ...read.data, id: textOf(read.data['id']) ?? id } };
    if (isComplete(read.data, id)) return { ...node, id };
    completed.push(id);
    return completeNode(node, id, definition, definitions);
  });
  const { flow, guessed } = connect({ ...given, nodes }, definitions, completed);
  return { flow: { ...flow, nodes: arrange(flow) }, completed, guessed: guessed.map(guessedOutput) };
}

function guessedOutput(id: string): Finding {
  const message = `Edges that leave ${quoted(id)} do not say at which of its outputs: they took them in their order`;
  return warning('guessed_output', message, { node: id, fix: 'Name the output as {source, target, output}: its number or name' });
}

function isComplete(data: Record<string, unknown>, id: string): boolean {
  return (
    data['id'] === id &&
    ['inputParams', 'inputAnchors', 'outputAnchors'].every((key) => Array.isArray(data[key])) &&
    isRecord(data['inputs'])
  );
}

function freeId(name: string, taken: Set<string>): string {
  let number = 0;
  while (taken.has(`${name}_${number}`)) number++;
  taken.add(`${name}_${number}`);
  return `${name}_${number}`;
}

function completeNode(node: FlowNode, id: string, definition: NodeDefinition, definitions: Definitions): FlowNode {
  const { data: given, inputs: values, label } = readNode(node);
  const credential = textOf(given['credential']) ?? textOf(node['credential']) ?? textOf(values['credential']);
  const inputs = completeInputs(definition, values, credential, definitions);
  const saved = Object.entries(definition).filter(([key]) => !NOT_SAVED.has(key));
  const { name: _name, label: _label, inputs: _inputs, credential: _credential, output: _output, ...frame } = node;
  return {
    ...frame,
    id,
    type: textOf(node['type']) ?? canvasType(definition),
    data: {
      ...Object.fromEntries(saved),
      ...given,
      ...(label !== definition.name && { label }),
      version: definition.version,
      id,
      inputParams: anchored(parametersOf(definition), id, inputs),
      inputAnchors: anchored(
        definition.inputs.filter((input) => !isParameter(input)),
        id,
        inputs,
      ),
      inputs,
      outputAnchors: outputAnchorsOf(definition, id, inputs),
      outputs: outputsOf(definition, given['outputs'] ?? node['outputs'], node['output']),
      ...(credential && { credential }),
      selected: false,
    },
  };
}

/** The credential comes first among the parameters, as on the canvas. */
function parametersOf(definition: NodeDefinition): InputDefinition[] {
  const credential = definition.credential as InputDefinition | undefined;
  const parameters = definition.inputs.filter(isParameter);
  return credential ? [{ ...credential, name: 'credential', type: 'credential' }, ...parameters] : parameters;
}

function anchored(inputs: InputDefinition[], id: string, values: Record<string, unknown>): object[] {
  return inputs.map((input) => ({ ...input, id: `${id}-input-${input.name}-${input.type}`, display: isVisible(input, values) }));
}

function completeInputs(
  definition: NodeDefinition,
  values: Record<string, unknown>,
  credential: string | undefined,
  definitions: Definitions,
): Record<string, unknown> {
  const inputs: Record<string, unknown> = { ...defaultsOf(definition.inputs), ...values, ...(credential && { credential }) };
  for (const input of definition.inputs) {
    const chosen = textOf(inputs[input.name]);
    if (!input.loadConfig || !chosen) continue;
    inputs[`${input.name}Config`] = completeConfig(input, chosen, recordOf(inputs[`${input.name}Config`]), definitions.get(chosen));
  }
  return inputs;
}

/** The settings of a chosen model or tool: its own defaults below what is written, and its credential where the engine looks. */
export function completeConfig(
  input: InputDefinition,
  chosen: string,
  written: Record<string, unknown>,
  component: NodeDefinition | undefined,
): Record<string, unknown> {
  const parameters = component?.inputs.filter((one) => isParameter(one) && one.default !== undefined) ?? [];
  const credential = textOf(written['FLOWISE_CREDENTIAL_ID']) ?? textOf(written['credential']);
  return {
    credential: '',
    ...Object.fromEntries(parameters.map((one) => [one.name, one.default])),
    ...written,
    [input.name]: chosen,
    ...(credential && { FLOWISE_CREDENTIAL_ID: credential }),
  };
}

function defaultsOf(inputs: InputDefinition[]): Record<string, unknown> {
  return Object.fromEntries(inputs.map((input) => [input.name, isEmpty(input.default) ? '' : structuredClone(input.default)]));
}

/** The inputs of a node that choose a chat model and count, given its other values. */
export function modelInputsOf(definition: NodeDefinition, values: Record<string, unknown>): InputDefinition[] {
  return definition.inputs.filter((input) => choosesModel(input) && isVisible(input, values));
}

function canvasType(definition: NodeDefinition): string {
  if (isStickyNote(definition.name)) return 'stickyNote';
  if (definition.name === 'iterationAgentflow') return 'iteration';
  return isAgentflowNode(definition) ? 'agentFlow' : 'customNode';
}

const COLUMN = 350;
const ROW = 200;
const SIZE = { width: 300, height: 143 };

/** Positions for the nodes that have none: a column for each step away from the beginning. */
export function arrange(flow: Flow): FlowNode[] {
  const columns = columnsOf(flow);
  const rows = new Map<number, number>();
  return flow.nodes.map((node) => {
    if (hasPosition(node)) return node;
    const column = columns.get(String(node.id)) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    const position = { x: column * COLUMN, y: row * ROW };
    return { ...SIZE, ...node, position, positionAbsolute: position };
  });
}

function hasPosition(node: FlowNode): boolean {
  const position = recordOf(node['position']);
  return typeof position['x'] === 'number' && typeof position['y'] === 'number';
}

/** The longest way to each node, as far as a flow without cycles allows; cycles end at the number of nodes. */
function columnsOf(flow: Flow): Map<string, number> {
  const columns = new Map(flow.nodes.map((node) => [String(node.id), 0]));
  for (let round = 0; round < flow.nodes.length; round++) {
    let moved = false;
    for (const { source, target } of flow.edges) {
      const next = (columns.get(String(source)) ?? -1) + 1;
      if (next <= 0 || next >= flow.nodes.length || next <= (columns.get(String(target)) ?? next)) continue;
      columns.set(String(target), next);
      moved = true;
    }
    if (!moved) break;
  }
  return columns;
}
