import { isRecord } from '@millrace/kernel';
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
      return call(expression, variables);
  }
}

/** Only a value's own fields: never what it inherits. */
function own(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return name === 'length' ? value.length : /^\d+$/.test(name) ? (value[Number(name)] ?? null) : null;
  if (typeof value === 'string') return name === 'length' ? value.length : null;
  return isRecord(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
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
  return OPERATORS[operator](left, evaluate(rightSide, variables));
}

type Operation = (left: unknown, right: unknown) => unknown;

const OPERATORS: Readonly<Record<Exclude<BinaryOperator, '||' | '&&' | '??'>, Operation>> = {
  '==': same,
  '!=': (left, right) => !same(left, right),
  in: (left, right) => contains(right, left),
  contains,
  '<': ordering('<', (order) => order < 0),
  '<=': ordering('<=', (order) => order <= 0),
  '>': ordering('>', (order) => order > 0),
  '>=': ordering('>=', (order) => order >= 0),
  '+': plus,
  '-': arithmetic('-', (left, right) => left - right),
  '*': arithmetic('*', (left, right) => left * right),
  '/': arithmetic('/', (left, right) => left / nonZero(right)),
  '%': arithmetic('%', (left, right) => left % nonZero(right)),
};

/** Nothing is smaller or larger than something that is missing. */
function ordering(operator: string, holds: (order: number) => boolean): Operation {
  return (left, right) => {
    if (left === null || left === undefined || right === null || right === undefined) return false;
    if (typeof left === 'number' && typeof right === 'number') return holds(left - right);
    if (typeof left === 'string' && typeof right === 'string') return holds(left < right ? -1 : Number(left > right));
    throw expressionFailure(`Cannot compare ${typeName(left)} with ${typeName(right)} by "${operator}"`);
  };
}

function arithmetic(operator: string, apply: (left: number, right: number) => number): Operation {
  return (left, right) => finite(apply(number(left, operator), number(right, operator)));
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

function nonZero(divisor: number): number {
  if (divisor === 0) throw expressionFailure('Cannot divide by zero');
  return divisor;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw expressionFailure('The number becomes too large');
  return value;
}

function number(value: unknown, operator: string): number {
  if (typeof value !== 'number') throw expressionFailure(`"${operator}" needs numbers, not ${typeName(value)}`);
  return value;
}

function call(expression: Expression & { kind: 'call' }, variables: Variables): unknown {
  const { name } = expression;
  const values = expression.arguments.map((argument) => evaluate(argument, variables));
  const definition = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!definition) throw expressionFailure(`There is no function ${name}`);
  if (values.length < definition.least || values.length > definition.most) throw expressionFailure(`${name} takes ${definition.usage}`);
  return definition.apply(values) ?? null;
}
