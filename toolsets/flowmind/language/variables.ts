import type { FlowCompiler } from './compile.ts';
import { ANY_VARIABLE, type VariableSpec } from './context.ts';
import type { ContextDocument, Path } from './document.ts';
import { variableSpec } from './schema.ts';

const TYPES: Record<string, VariableSpec['type']> = {
  string: 'string',
  text: 'string',
  enum: 'string',
  number: 'number',
  float: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  object: 'object',
  map: 'object',
  any: 'any',
};

/** The variables of a file: a default, a list of values, a specification, or two lists of names. */
export function parseVariables(document: ContextDocument, compiler: FlowCompiler, written: unknown): Record<string, VariableSpec> {
  const variables: Record<string, VariableSpec> = {};
  for (const { name, spec, required, path } of entriesOf(written)) {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) document.error(path, `"${name.slice(0, 60)}" is no variable name: letters, digits and _`);
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
  if (written === undefined || written === null) return [];
  if (Array.isArray(written)) {
    return written.map((each, index) => {
      const path = ['variables', index];
      if (typeof each === 'string') return { name: each, spec: {}, required: false, path };
      const { name, ...spec } = (each ?? {}) as Record<string, unknown>;
      return { name: String(name ?? ''), spec, required: false, path };
    });
  }
  const object = written as Record<string, unknown>;
  const lists = Object.entries(object).filter(([key, value]) => (key === 'required' || key === 'optional') && isListOfNames(value));
  if (lists.length > 0 && lists.length === Object.keys(object).length) {
    return lists.flatMap(([key, names]) =>
      (names as string[]).map((name, index) => ({ name, spec: {}, required: key === 'required', path: ['variables', key, index] })),
    );
  }
  return Object.entries(object).map(([name, spec]) => ({ name, spec, required: false, path: ['variables', name] }));
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function parseSpec(document: ContextDocument, compiler: FlowCompiler, written: unknown, path: Path): VariableSpec {
  if (Array.isArray(written)) return { ...ANY_VARIABLE, type: 'string', values: written as string[] };
  if (written === null || typeof written !== 'object') {
    return { ...ANY_VARIABLE, type: typeOf(written), default: written === null ? undefined : compiler.value(written, path) };
  }
  const parsed = variableSpec.safeParse(written);
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      document.error([...path, ...(issue.path as (string | number)[])], `${issue.path.join('.')}: ${issue.message}`);
    return ANY_VARIABLE;
  }
  const spec = parsed.data;
  const values = spec.values ?? spec.enum;
  const type =
    spec.type === undefined ? (values ? 'any' : spec.default === undefined ? 'any' : typeOf(spec.default)) : TYPES[spec.type.toLowerCase()];
  if (!type)
    document.error(
      [...path, 'type'],
      `Unknown type "${String(spec.type).slice(0, 40)}"; known: string, number, integer, boolean, array, object, any`,
    );
  const rules = spec.validation !== null && typeof spec.validation === 'object' ? spec.validation : {};
  return {
    type: type ?? 'any',
    required: spec.required ?? false,
    values,
    default: spec.default === undefined || spec.default === null ? undefined : compiler.value(spec.default, [...path, 'default']),
    description: spec.description,
    minimum: spec.minimum ?? numberIn(rules, 'min', 'minimum'),
    maximum: spec.maximum ?? numberIn(rules, 'max', 'maximum'),
    maxLength: spec.maxLength ?? numberIn(rules, 'max_length', 'maxLength'),
  };
}

function numberIn(rules: Record<string, unknown>, ...names: string[]): number | undefined {
  return names.map((name) => rules[name]).find((value): value is number => typeof value === 'number');
}

/** A text that is computed later may become anything. */
function typeOf(value: unknown): VariableSpec['type'] {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^@|\$\{/.test(value) ? 'any' : 'string';
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'object' ? (typeof value as 'number') : 'any';
}
