import { type Context, compileFunction, createContext } from 'node:vm';
import type { NodePort, WorkflowNode } from '../../document/workflow/model.ts';
import type { PortDescription, TypeDescription } from './description.ts';
import type { OpenedPack } from './opened-pack.ts';
import type { Parameters } from './parameter-rules.ts';
import { parameterDependencies, relevantProperties } from './relevant-properties.ts';
import type { NodeType } from './type-store.ts';

export interface NodePorts {
  inputs: NodePort[];
  outputs: NodePort[];
  /** False when the ports depend on an expression: then no connection is impossible. */
  certain: { inputs: boolean; outputs: boolean };
  /** Types of inputs that the node has with these or with other parameters. */
  possibleInputs: string;
}

/** The inputs and outputs of a node with its current parameters. */
export function portsOf(pack: OpenedPack, type: NodeType, node: WorkflowNode, resolved?: Parameters): NodePorts {
  const { description } = type;
  if (typeof description.inputs !== 'string' && typeof description.outputs !== 'string') {
    return fixedPorts(description, description.inputs, description.outputs, node);
  }
  const parameters = resolved ?? resolvedParameters(pack, type, node);
  const version = node.typeVersion ?? type.entry.newest;
  const inputs = resolvePorts(description.inputs, parameters, version);
  const outputs = resolvePorts(description.outputs, parameters, version);
  return {
    inputs: numbered(inputs.ports, description.inputNames),
    outputs: withErrorOutput(numbered(outputs.ports, description.outputNames), node),
    certain: { inputs: inputs.certain, outputs: outputs.certain },
    possibleInputs: typeof description.inputs === 'string' ? description.inputs : '',
  };
}

const fixed = new WeakMap<TypeDescription, NodePorts>();

/** Most types have the same ports whatever the parameters: these are worked out once. */
function fixedPorts(description: TypeDescription, inputs: PortDescription[], outputs: PortDescription[], node: WorkflowNode): NodePorts {
  const known = fixed.get(description) ?? {
    inputs: numbered(inputs, description.inputNames),
    outputs: numbered(outputs, description.outputNames),
    certain: { inputs: true, outputs: true },
    possibleInputs: '',
  };
  fixed.set(description, known);
  return { ...known, outputs: withErrorOutput(known.outputs, node) };
}

/** What n8n works with when it runs the node: what is in the file, and the defaults of what is not. */
export function resolvedParameters(pack: OpenedPack, type: NodeType, node: WorkflowNode): Parameters {
  return attemptedParameters(pack, type, node) ?? node.parameters ?? {};
}

/** As above, or undefined when the parameters are such that n8n's own code fails on them. */
export function attemptedParameters(pack: OpenedPack, { description, entry }: NodeType, node: WorkflowNode): Parameters | undefined {
  const parameters = node.parameters ?? {};
  const ruled = { ...node, typeVersion: node.typeVersion ?? entry.newest, parameters };
  const properties = relevantProperties(description, ruled.typeVersion, parameters);
  const known = { parameterDependencies: parameterDependencies(properties) };
  const { rules } = pack;
  try {
    return rules.getNodeParameters(properties, parameters, true, false, ruled, description, known) ?? {};
  } catch {
    return undefined;
  }
}

/** Indexes count within a type: that is what connections store. */
function numbered(ports: PortDescription[], names: string[] = []): NodePort[] {
  const counts = new Map<string, number>();
  return ports.map((port, position) => {
    const { type, displayName, required, maxConnections } = typeof port === 'string' ? named(port) : port;
    const index = counts.get(type) ?? 0;
    counts.set(type, index + 1);
    return {
      type,
      index,
      name: displayName || names[position] || type,
      ...(required && { required }),
      ...(maxConnections !== undefined && { maxConnections }),
    };
  });
}

type NamedPort = Exclude<PortDescription, string>;

function named(type: string): NamedPort {
  return { type };
}

function withErrorOutput(outputs: NodePort[], node: WorkflowNode): NodePort[] {
  if (node.onError !== 'continueErrorOutput') return outputs;
  const index = outputs.filter((output) => output.type === 'main').length;
  const named = outputs.length === 1 && outputs[0]?.name === 'main' ? [{ ...outputs[0], name: 'success' }] : outputs;
  return [...named, { type: 'main', index, name: 'error' }];
}

export interface ResolvedPorts {
  ports: PortDescription[];
  /** False when the ports depend on a parameter that is an expression: only the run tells. */
  certain: boolean;
}

type PortFunction = (parameters: unknown, version: number) => unknown;

const compiled = new Map<string, PortFunction | undefined>();
let context: Context | undefined;

/** Ports that a node package describes by an expression over the parameters. It runs with nothing of this process in reach. */
export function resolvePorts(described: PortDescription[] | string, parameters: unknown, version: number): ResolvedPorts {
  if (typeof described !== 'string') return { ports: described, certain: true };
  const calculate = portFunction(described);
  const watched = { expression: false };
  const result = calculate && attempted(() => calculate(watch(parameters, watched), version));
  if (!Array.isArray(result)) return { ports: [], certain: false };
  return { ports: Array.from(result, plainPort), certain: !watched.expression };
}

/** Undefined where the expression fails: its errors are those of its own context, while a bug of ours throws an Error of this one. */
function attempted(calculate: () => unknown): unknown {
  try {
    return calculate();
  } catch (error) {
    if (error instanceof Error) throw error;
    return undefined;
  }
}

function portFunction(described: string): PortFunction | undefined {
  if (compiled.has(described)) return compiled.get(described);
  const body = /^=\s*\{\{([\s\S]*)\}\}\s*$/.exec(described)?.[1];
  let made: PortFunction | undefined;
  if (body !== undefined) {
    context ??= createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
    try {
      made = compileFunction(`return (${body});`, ['$parameter', '$nodeVersion'], { parsingContext: context }) as PortFunction;
    } catch (error) {
      if ((error as Error).name !== 'SyntaxError') throw error;
    }
  }
  compiled.set(described, made);
  return made;
}

/** More ports than any node has: what a broken file asks for beyond that is not built. */
const MOST_PORTS = 1000;

/** Notes whether a value that was looked at is an expression. */
function watch(value: unknown, watched: { expression: boolean }): unknown {
  if (typeof value === 'number') return Math.min(value, MOST_PORTS);
  if (typeof value === 'string') {
    if (value.startsWith('=')) watched.expression = true;
    return value;
  }
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, { get: (target, key) => watch(Reflect.get(target, key), watched) });
}

function plainPort(port: unknown): PortDescription {
  if (typeof port === 'string') return port;
  return { ...(port as Exclude<PortDescription, string>) };
}
