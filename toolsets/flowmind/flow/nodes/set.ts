import { filledIn, type Value } from '../../language/template.ts';
import type { FlowCompiler } from '../compile.ts';
import type { Path } from '../document.ts';
import { defineNode, field, isVariableName, type NodeBase } from './node.ts';

export type SetNode = NodeBase & { kind: 'set'; assignments: [string, Value][] };

export const set = defineNode({
  keys: ['set_variable', 'set'],
  usage: '`set`',
  summary: 'Sets variables',
  fields: () => ({ set_variable: field.values.optional(), set: field.values.optional() }),

  compile: (data, compiler, path) => ({
    kind: 'set',
    ...compiler.base(data, path),
    assignments: assignments(compiler, data.set_variable ?? data.set ?? {}, [...path, data.set_variable ? 'set_variable' : 'set']),
  }),

  run(node: SetNode, { machine, fiber, variables }) {
    for (const [name, value] of node.assignments) assign(variables, name, filledIn(value, variables));
    machine.next(fiber);
  },

  preview: (node) => ({ what: `Set ${node.assignments.map(([name]) => name).join(', ')}` }),
});

/** `set_variable: {a: 1}` as well as `set_variable: {name: a, value: 1}`. */
function assignments(compiler: FlowCompiler, written: Record<string, unknown>, path: Path): [string, Value][] {
  const keys = Object.keys(written);
  if (keys.length === 2 && typeof written['name'] === 'string' && 'value' in written) {
    return [[written['name'], compiler.value(written['value'], [...path, 'value'])]];
  }
  for (const key of keys) {
    if (!isVariableName(key)) compiler.document.error([...path, key], `"${key.slice(0, 60)}" is not a valid variable name`);
  }
  return compiler.values(written, path);
}

/** Defined, not assigned: a variable may have the name of something that objects inherit. */
export function assign(variables: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(variables, name, { value, writable: true, enumerable: true, configurable: true });
}
