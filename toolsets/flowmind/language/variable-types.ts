import type { VariableSpec } from './context.ts';

/** Whether a value is of the type that a variable declares. */
export function isOfType(type: VariableSpec['type'], value: unknown): boolean {
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
