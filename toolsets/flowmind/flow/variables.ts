import type { Variables } from '../language/evaluate.ts';
import { filledIn } from '../language/template.ts';
import { typeName } from '../language/values.ts';
import type { ContextDefinition, VariableSpec } from './context.ts';

export interface VariableProblem {
  variable: string;
  issue: string;
  suggestion: string;
}

const MAX_SIZE = 500_000;
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** The variables that a run begins with: what was given, then defaults, in the order in which the file has them. */
export function initialVariables(
  definition: ContextDefinition,
  given: Variables,
): { variables: Record<string, unknown>; missing: string[]; problems: VariableProblem[] } {
  const variables: Record<string, unknown> = Object.fromEntries(Object.entries(given).filter(([name]) => !UNSAFE.has(name)));
  for (const [name, spec] of Object.entries(definition.variables)) {
    if (spec.default !== undefined && isMissing(variables[name])) variables[name] = filledIn(spec.default, variables);
  }
  if (JSON.stringify(variables).length > MAX_SIZE) {
    const issue = `The variables are larger than ${MAX_SIZE} characters`;
    return { variables, missing: [], problems: [{ variable: '', issue, suggestion: 'Save large content to a file and send its path' }] };
  }
  const missing = definition.needs.filter((name) => isMissing(own(variables, name)));
  const problems = Object.entries(definition.variables).flatMap(([name, spec]) => {
    const value = own(variables, name);
    return isMissing(value) ? [] : checked(name, spec, value);
  });
  return { variables, missing, problems };
}

function own(variables: Variables, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether a run would take this value for a variable; one that it does not declare may be anything. */
export function isAcceptable(spec: VariableSpec | undefined, value: unknown): boolean {
  return !isMissing(value) && (!spec || checked('', spec, value).length === 0);
}

function checked(variable: string, spec: VariableSpec, value: unknown): VariableProblem[] {
  if (!isOfType(spec.type, value)) {
    return [{ variable, issue: `${variable} is ${typeName(value)}, not ${spec.type}`, suggestion: `Send ${variable} as ${spec.type}` }];
  }
  if (spec.values && !spec.values.some((each) => each === value)) {
    return [{ variable, issue: `${variable} is none of its values`, suggestion: `Use one of ${spec.values.join(', ')}` }];
  }
  if (
    typeof value === 'number' &&
    ((spec.minimum !== undefined && value < spec.minimum) || (spec.maximum !== undefined && value > spec.maximum))
  ) {
    const range = `${spec.minimum ?? 'any'} to ${spec.maximum ?? 'any'}`;
    return [{ variable, issue: `${variable} is out of range`, suggestion: `Send a number from ${range}` }];
  }
  if (typeof value === 'string' && spec.maxLength !== undefined && value.length > spec.maxLength) {
    return [{ variable, issue: `${variable} is too long`, suggestion: `Send at most ${spec.maxLength} characters` }];
  }
  return [];
}

/** Whether a value is of the type that a variable declares. */
function isOfType(type: VariableSpec['type'], value: unknown): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
