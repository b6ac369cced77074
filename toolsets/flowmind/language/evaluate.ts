import type { BinaryOperator, Expression } from './expression.ts';
import { FUNCTIONS } from './functions.ts';
import { asText, contains, expressionFailure, isTrue, same, typeName } from './values.ts';

export type Variables = Readonly<Record<string, unknown>>;

export function evaluate(expression: Expression, variables: Variables): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'variable':
      return own(variables, expression.name);
    case 'member':
      return own(evaluate(expression.of, variables), expression.name);
    case 'index':
      return element(evaluate(expression.of, variables), evaluate(expression.at, variables));
    case 'list':
      return expression.items.map((item) => evaluate(item, variables));
    case 'not':
      return !isTrue(evaluate(expression.of, variables));
    case 'negate':
      return -number(evaluate(expression.of, variables), '-');
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, variables);
    case 'call':
      return call(
        expression.name,
        expression.arguments.map((argument) => evaluate(argument, variables)),
      );
  }
}

/** Only a value's own fields: never what it inherits. */
function own(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return name === 'length' ? value.length : /^\d+$/.test(name) ? (value[Number(name)] ?? null) : null;
  if (typeof value === 'string') return name === 'length' ? value.length : null;
  if (typeof value !== 'object' || !Object.hasOwn(value, name)) return null;
  return (value as Record<string, unknown>)[name] ?? null;
}

function element(value: unknown, at: unknown): unknown {
  if (Array.isArray(value) && typeof at === 'number') return value.at(at) ?? null;
  return typeof at === 'string' || typeof at === 'number' ? own(value, String(at)) : null;
}

function binary(operator: BinaryOperator, leftSide: Expression, rightSide: Expression, variables: Variables): unknown {
  const left = evaluate(leftSide, variables);
  if (operator === '||') return isTrue(left) ? left : evaluate(rightSide, variables);
  if (operator === '&&') return isTrue(left) ? evaluate(rightSide, variables) : left;
  if (operator === '??') return left ?? evaluate(rightSide, variables);
  const right = evaluate(rightSide, variables);
  switch (operator) {
    case '==':
      return same(left, right);
    case '!=':
      return !same(left, right);
    case 'in':
      return contains(right, left);
    case 'contains':
      return contains(left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, left, right);
    case '+':
      return plus(left, right);
    default:
      return arithmetic(operator, number(left, operator), number(right, operator));
  }
}

/** Nothing is smaller or larger than something that is missing. */
function ordered(operator: '<' | '<=' | '>' | '>=', left: unknown, right: unknown): boolean {
  if (left === null || left === undefined || right === null || right === undefined) return false;
  const comparable = (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!comparable) throw expressionFailure(`Cannot compare ${typeName(left)} with ${typeName(right)} by "${operator}"`);
  const [a, b] = [left as number, right as number];
  return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b;
}

const MAX_TEXT = 1_000_000;

function plus(left: unknown, right: unknown): unknown {
  if (typeof left === 'string' || typeof right === 'string') {
    const joined = `${asText(left)}${asText(right)}`;
    if (joined.length > MAX_TEXT) throw expressionFailure('The text becomes too long');
    return joined;
  }
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  return finite(number(left, '+') + number(right, '+'));
}

function arithmetic(operator: BinaryOperator, left: number, right: number): number {
  if ((operator === '/' || operator === '%') && right === 0) throw expressionFailure('Cannot divide by zero');
  return finite(operator === '-' ? left - right : operator === '*' ? left * right : operator === '/' ? left / right : left % right);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw expressionFailure('The number becomes too large');
  return value;
}

function number(value: unknown, operator: string): number {
  if (typeof value !== 'number') throw expressionFailure(`"${operator}" needs numbers, not ${typeName(value)}`);
  return value;
}

function call(name: string, values: unknown[]): unknown {
  if (!Object.hasOwn(FUNCTIONS, name)) throw expressionFailure(`There is no function ${name}`);
  const definition = FUNCTIONS[name] as (typeof FUNCTIONS)[string];
  if (values.length < definition.least || values.length > definition.most) {
    throw expressionFailure(`${name} takes ${definition.usage}`);
  }
  return definition.apply(values) ?? null;
}
