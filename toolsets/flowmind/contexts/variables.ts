import { isRecord } from '@millrace/kernel';
import type { z } from 'zod';
import type { FlowCompiler } from '../flow/compile.ts';
import { VARIABLE_TYPES, type VariableSpec } from '../flow/context.ts';
import type { ContextDocument, Path } from '../flow/document.ts';
import { isVariableName } from '../flow/nodes/node.ts';
import { variableSpec } from './schema.ts';

/** Other names of the types. */
const TYPES: Readonly<Record<string, VariableSpec['type']>> = {
  text: 'string',
  enum: 'string',
  float: 'number',
  int: 'integer',
  bool: 'boolean',
  list: 'array',
  map: 'object',
};

/** The variables of a file: a default, a list of values, a specification, or two lists of names. */
export function parseVariables(document: ContextDocument, compiler: FlowCompiler, written: unknown): Record<string, VariableSpec> {
  const variables: Record<string, VariableSpec> = {};
  for (const { name, spec, required, path } of entriesOf(written)) {
    if (!isVariableName(name)) document.error(path, `"${name.slice(0, 60)}" is not a valid variable name: letters, digits and _`);
    else if (name in PROTECTED) document.error(path, `"${name}" cannot be a variable`);
    else variables[name] = { ...parseSpec(document, compiler, spec, path), ...(required && { required }) };
  }
  return variables;
}

const PROTECTED: Record<string, true> = Object.assign(Object.create(null), { __proto__: true, constructor: true, prototype: true });

interface Entry {
  name: string;
  spec: unknown;
  required: boolean;
  path: Path;
}

function entriesOf(written: unknown): Entry[] {
  if (Array.isArray(written)) {
    return written.map((each, index) => {
      const { name, ...spec } = typeof each === 'string' ? { name: each } : isRecord(each) ? each : {};
      return { name: String(name ?? ''), spec, required: false, path: ['variables', index] };
    });
  }
  const entries = Object.entries(written ?? {});
  const lists = entries.flatMap(([key, names]) =>
    (key === 'required' || key === 'optional') && isListOfNames(names) ? [{ key, names }] : [],
  );
  if (lists.length === 0 || lists.length < entries.length)
    return entries.map(([name, spec]) => ({ name, spec, required: false, path: ['variables', name] }));
  return lists.flatMap(({ key, names }) =>
    names.map((name, index) => ({ name, spec: {}, required: key === 'required', path: ['variables', key, index] })),
  );
}

function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function parseSpec(document: ContextDocument, compiler: FlowCompiler, written: unknown, path: Path): VariableSpec {
  if (Array.isArray(written)) return { type: 'string', required: false, values: written };
  if (!isRecord(written)) {
    return { type: typeOf(written), required: false, default: written === null ? undefined : compiler.value(written, path) };
  }
  const { data: spec, error } = variableSpec.safeParse(written);
  if (!spec) {
    for (const issue of error.issues) document.refuse(issue, path, '');
    return { type: 'any', required: false };
  }
  const fallback = spec.default ?? undefined;
  return {
    type: declaredType(document, spec, path),
    required: spec.required ?? false,
    values: spec.values ?? spec.enum,
    default: fallback === undefined ? undefined : compiler.value(fallback, [...path, 'default']),
    description: spec.description,
    ...limitsOf(spec),
  };
}

type WrittenSpec = z.output<typeof variableSpec>;

function declaredType(document: ContextDocument, spec: WrittenSpec, path: Path): VariableSpec['type'] {
  const hasValues = spec.values !== undefined || spec.enum !== undefined;
  if (spec.type === undefined) return hasValues || spec.default === undefined ? 'any' : typeOf(spec.default);
  const written = spec.type.toLowerCase();
  const type = VARIABLE_TYPES.find((each) => each === written) ?? TYPES[written];
  if (!type) document.error([...path, 'type'], `Unknown type "${spec.type.slice(0, 40)}"; known: ${VARIABLE_TYPES.join(', ')}`);
  return type ?? 'any';
}

function limitsOf(spec: WrittenSpec): Pick<VariableSpec, 'minimum' | 'maximum' | 'maxLength'> {
  const rules = isRecord(spec.validation) ? spec.validation : {};
  const numberIn = (...names: string[]) => names.map((name) => rules[name]).find((value) => typeof value === 'number');
  return {
    minimum: spec.minimum ?? numberIn('min', 'minimum'),
    maximum: spec.maximum ?? numberIn('max', 'maximum'),
    maxLength: spec.maxLength ?? numberIn('max_length', 'maxLength'),
  };
}

/** A text that is computed later may become anything. */
function typeOf(value: unknown): VariableSpec['type'] {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^@|\$\{/.test(value) ? 'any' : 'string';
  const type = typeof value;
  return type === 'number' || type === 'boolean' || type === 'object' ? type : 'any';
}
