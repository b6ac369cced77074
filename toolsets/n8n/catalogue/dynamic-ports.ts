import { type Context, compileFunction, createContext } from 'node:vm';
import type { PortDescription } from './description.ts';

export interface ResolvedPorts {
  ports: PortDescription[];
  /** False when the ports hang on a parameter that is an expression: then nobody knows before the run. */
  certain: boolean;
}

type PortFunction = (parameters: unknown, version: number) => unknown;

const compiled = new Map<string, PortFunction | undefined>();
let context: Context | undefined;

/**
 * The ports of a node whose type describes them by an expression over its parameters. The expressions are those of the node
 * package, never of a workflow; they run without anything of this process in reach.
 */
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
  return new Proxy(value, {
    get: (target, key) => watch(Reflect.get(target, key), watched),
  });
}

function plainPort(port: unknown): PortDescription {
  if (typeof port === 'string') return port;
  return { ...(port as Exclude<PortDescription, string>) };
}
