import { isRecord } from '@millrace/kernel';

/** One input of a node as Flowise defines it; what is not named here is carried along for the canvas. */
export interface InputDefinition extends Record<string, unknown> {
  label: string;
  name: string;
  type: string;
  optional?: boolean;
  default?: unknown;
  list?: boolean;
  show?: Record<string, unknown>;
  hide?: Record<string, unknown>;
  /** Where the choices come from; `listModels` makes the input a choice of chat model. */
  loadMethod?: string;
  /** The choice has settings of its own, kept beside it under `<name>Config`. */
  loadConfig?: boolean;
  array?: InputDefinition[];
  /** Filled in by hand, but the output of another node may be part of it. */
  acceptVariable?: boolean;
  /** Ways to fill it in; each keeps its value under its own name. */
  tabs?: InputDefinition[];
}

interface CredentialDefinition extends Record<string, unknown> {
  credentialNames: string[];
  optional?: boolean;
}

interface OutputDefinition extends Record<string, unknown> {
  label: string;
  name: string;
  baseClasses?: string[];
}

export interface NodeDefinition extends Record<string, unknown> {
  name: string;
  label: string;
  version: number;
  type: string;
  category: string;
  baseClasses: string[];
  inputs: InputDefinition[];
  outputs?: OutputDefinition[];
  credential?: CredentialDefinition;
  color?: string;
  hideInput?: boolean;
  hideOutput?: boolean;
}

export type Definitions = ReadonlyMap<string, NodeDefinition>;

const AGENTFLOW_CATEGORY = 'Agent Flows';
const STICKY_NOTES = new Set(['stickyNote', 'stickyNoteAgentflow']);

/** Types of inputs that are filled in; every other type is an anchor that another node is connected to. */
const PARAMETER_TYPES = new Set(
  `array asyncMultiOptions asyncOptions boolean code conditionFunction credential datagrid date datePicker file folder json
  monthDaysPicker multiOptions number options password string tabs timePicker weekDaysPicker`.split(/\s+/),
);

export function isAgentflowNode(definition: NodeDefinition): boolean {
  return definition.category === AGENTFLOW_CATEGORY;
}

export function isStickyNote(name: string): boolean {
  return STICKY_NOTES.has(name);
}

export function isParameter(input: InputDefinition): boolean {
  return PARAMETER_TYPES.has(input.type);
}

/** A parameter that another node can be connected to. */
export function takesVariable(input: InputDefinition): boolean {
  return isParameter(input) && input.acceptVariable === true;
}

/** An input that chooses a chat model. */
export function choosesModel(input: InputDefinition): boolean {
  return input.loadMethod === 'listModels' && input.loadConfig === true;
}

/** A definition out of Flowise's reply, or undefined when it has not even a name. */
export function definitionOf(row: unknown): NodeDefinition | undefined {
  if (!isRecord(row)) return undefined;
  const { name, label, version, type, category, baseClasses, inputs, outputs, ...rest } = row;
  if (typeof name !== 'string') return undefined;
  return {
    ...rest,
    name,
    label: typeof label === 'string' ? label : name,
    version: Number(version ?? 1),
    type: typeof type === 'string' ? type : name,
    category: typeof category === 'string' ? category : '',
    baseClasses: strings(baseClasses),
    inputs: objects(inputs).map(inputOf),
    ...(Array.isArray(outputs) && { outputs: objects(outputs).map(outputOf) }),
  };
}

function inputOf(row: Record<string, unknown>): InputDefinition {
  const name = String(row['name'] ?? '');
  const { tabs: _tabs, ...rest } = row;
  const tabs = objects(row['tabs']).map(inputOf);
  return { ...rest, name, label: String(row['label'] ?? name), type: String(row['type'] ?? 'string'), ...(tabs.length > 0 && { tabs }) };
}

function outputOf(row: Record<string, unknown>): OutputDefinition {
  const name = String(row['name'] ?? '');
  return { ...row, name, label: String(row['label'] ?? name) };
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

const LONGEST_PATTERN = 100;
const LONGEST_VALUE = 500;

/** Whether an input counts, given the values of the others: all its `show` rules hold and none of its `hide` rules. */
export function isVisible(input: InputDefinition, values: Record<string, unknown>, index?: number): boolean {
  if (input['hidden'] === true) return false;
  const holds = ([path, expected]: [string, unknown]) => matches(valueAt(values, path, index), expected);
  if (input.show && !Object.entries(input.show).every(holds)) return false;
  return !(input.hide && Object.entries(input.hide).some(holds));
}

/** Paths are dotted and may hold the `[$index]` of the array item that is looked at. */
function valueAt(values: Record<string, unknown>, path: string, index: number | undefined): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  const keys = path
    .replaceAll('$index', String(index ?? 0))
    .split(/[.[\]]+/)
    .filter(Boolean);
  let value: unknown = values;
  for (const key of keys) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function matches(actual: unknown, expected: unknown): boolean {
  const actuals = Array.isArray(actual) ? actual : [actual];
  const wanted = Array.isArray(expected) ? expected : [expected];
  return wanted.some((one) => actuals.some((value) => value === one || fitsPattern(value, one)));
}

/** Flowise's rules may be patterns for text, such as a family of model names. */
function fitsPattern(value: unknown, pattern: unknown): boolean {
  if (typeof value !== 'string' || typeof pattern !== 'string' || !/[.*^$|()[\]]/.test(pattern)) return false;
  if (pattern.length > LONGEST_PATTERN || value.length > LONGEST_VALUE) return false;
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return false;
  }
}
