import { Failure } from '@millrace/kernel';
import { evaluate } from '../language/evaluate.ts';
import { type Expression, ExpressionSyntaxError, parseExpression, variablesIn } from '../language/expression.ts';
import { asText, isTrue } from '../language/values.ts';
import { decided, type Rung, unknown } from './verdict.ts';

/** Typed expressions over the variables, such as `stakeholder_count > 10`, and plain statements such as "urgency is high". */
export const judgedByExpression: Rung = ({ condition, variables }) => {
  const statement = judgedStatement(condition, variables);
  if (statement) return statement;
  const expression = parsed(condition);
  if (!expression || !isComparison(expression)) return undefined;
  const names = [...variablesIn(expression)];
  const absent = names.filter((name) => !Object.hasOwn(variables, name));
  if (absent.length > 0) {
    return /[=<>!]|\b(AND|OR|NOT|in|contains)\b/.test(condition) && absent.length < names.length + 1 && looksTyped(condition)
      ? unknown('expression', `The variable ${absent.join(', ')} is not set`)
      : undefined;
  }
  try {
    const value = isTrue(evaluate(expression, variables));
    const evidence = names.map((name) => `${name} = ${(JSON.stringify(variables[name]) ?? 'null').slice(0, 100)}`);
    return decided('expression', value, 1, `The expression is ${value} for the given variables`, evidence);
  } catch (error) {
    if (error instanceof Failure) return unknown('expression', error.message);
    throw error;
  }
};

function parsed(condition: string): Expression | undefined {
  try {
    return parseExpression(condition);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return undefined;
    throw error;
  }
}

/** A sentence contains no operator symbols; text that does was meant as an expression. */
function looksTyped(condition: string): boolean {
  return /==|!=|<=?|>=?|&&|\|\||\w\(/.test(condition);
}

function isComparison(expression: Expression): boolean {
  return expression.kind === 'binary' || expression.kind === 'not' || expression.kind === 'call';
}

/** "urgency is high", "the domain is not technical": a variable and one of its values, in words. */
function judgedStatement(condition: string, variables: Readonly<Record<string, unknown>>) {
  const match = /^(?:the\s+)?([\p{L}_][\p{L}\p{N}_ ]*?)\s+(?:is|equals|=|==)\s+(not\s+)?["']?([\p{L}\p{N}_-]+)["']?[.!]?$/iu.exec(
    condition.trim(),
  );
  if (!match) return undefined;
  const [, variable = '', not, wanted = ''] = match;
  const name = variable.toLowerCase().replaceAll(' ', '_');
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const equal = asText(value).toLowerCase() === wanted.toLowerCase();
  const result = not ? !equal : equal;
  const shown = JSON.stringify(value).slice(0, 100);
  return decided('expression', result, 1, `The variable ${name} is ${shown}`, [`${name} = ${shown}`]);
}
