import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction, createContext, Script } from 'node:vm';
import type { DisplayOptions, Property, TypeDescription } from './description.ts';

export type Parameters = Record<string, unknown>;

export interface RuledNode {
  name: string;
  type: string;
  typeVersion: number;
  parameters: Parameters;
  disabled?: boolean;
  [key: string]: unknown;
}

export interface ParameterIssues {
  parameters?: Record<string, string[]>;
  [kind: string]: unknown;
}

/** n8n's own rules about parameters, as n8n-workflow has them. */
export interface ParameterRules {
  getNodeParameters(
    properties: Property[],
    values: Parameters,
    returnDefaults: boolean,
    returnNoneDisplayed: boolean,
    node: RuledNode | null,
    description: TypeDescription | null,
    options?: { parameterDependencies: Record<string, string[]> },
  ): Parameters | null;
  getNodeParametersIssues(properties: Property[], node: RuledNode, description: TypeDescription | null): ParameterIssues | null;
  displayParameter(
    values: Parameters,
    parameter: { displayOptions?: DisplayOptions },
    node: RuledNode | null,
    description: TypeDescription | null,
    root?: Parameters,
  ): boolean;
  /** Why n8n cannot read an expression, if it cannot; only where n8n's code is there to say so. */
  expressionFault?(text: string): string | undefined;
}

/** Loads the rules out of a pack; costs a tenth of a second, once. */
export function loadParameterRules(packFolder: string): ParameterRules {
  const require = createRequire(join(packFolder, 'package.json'));
  const rules = require('n8n-workflow/dist/cjs/node-helpers.js') as ParameterRules;
  quickenPatterns(require('n8n-workflow/dist/cjs/safe-regex.js') as PatternModule);
  return {
    getNodeParameters: rules.getNodeParameters,
    getNodeParametersIssues: rules.getNodeParametersIssues,
    displayParameter: rules.displayParameter,
    expressionFault: expressionSyntax(require),
  };
}

interface PatternModule {
  setSafeRegexEngine?(engine: Record<string, (...parameters: string[]) => unknown>): void;
}

const LONGEST_PLAIN = 500;
const LIMIT_MS = 250;

/** n8n tests patterns under a time limit, a millisecond each. Those of its own packages are safe on short texts, so these skip it. */
function quickenPatterns({ setSafeRegexEngine }: PatternModule): void {
  const compiled = new Map<string, RegExp>();
  const test = limited('new RegExp(pattern, flags).test(input)');
  setSafeRegexEngine?.({
    exec: limited('new RegExp(pattern, flags).exec(input)'),
    replace: limited('input.replace(new RegExp(pattern, flags), replacement)'),
    matchAll: limited("Array.from(input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : flags + 'g')))"),
    split: limited('input.split(new RegExp(pattern, flags))'),
    test(pattern = '', input = '', flags = '') {
      if (input.length > LONGEST_PLAIN) return test(pattern, input, flags);
      const key = `${flags}/${pattern}`;
      const known = compiled.get(key) ?? new RegExp(pattern, flags.replace('g', ''));
      if (compiled.size < 2000) compiled.set(key, known);
      return known.test(input);
    },
  });
}

function limited(expression: string): (...parameters: string[]) => unknown {
  const context = createContext({});
  const script = new Script(expression);
  return (pattern, input, flags = '', replacement = '') => {
    Object.assign(context, { pattern, input, flags, replacement });
    return script.runInContext(context, { timeout: LIMIT_MS });
  };
}

interface ExpressionReader {
  Tournament: new (
    onError: () => void,
    deprecated?: undefined,
    Evaluator?: undefined,
    hooks?: { before: []; after: [] },
  ) => { getExpressionCode(text: string): [string, unknown] };
}

/** A path through data, as most expressions are: `$json.a.b`, `$('Name').item.json['c d']`. */
const PLAIN = /^\s*\$\w*(?:\((?:'[^'\\]*'|"[^"\\]*")?\))?(?:\.\w+|\(\)|\[\d+\]|\['[^'\\]*'\]|\["[^"\\]*"\])*\s*$/;

/** Why n8n cannot read an expression (without its `=`). JavaScript's parser goes first: n8n's own is far slower. Nothing is run. */
export function expressionSyntax(require: ReturnType<typeof createRequire>): (text: string) => string | undefined {
  let reader: InstanceType<ExpressionReader['Tournament']> | undefined;
  return (text) => {
    if (codeOf(text).every((code) => PLAIN.test(code) || compiles(`(${code}\n)`))) return undefined;
    try {
      const { Tournament } = require('@n8n/tournament') as ExpressionReader;
      reader ??= new Tournament(() => {}, undefined, undefined, { before: [], after: [] });
      reader.getExpressionCode(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : 'it is not JavaScript';
    }
  };
}

/** What stands between `{{` and `}}`; a backslash before either makes it text. */
function codeOf(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; ; ) {
    const open = unescapedAt(text, '{{', at);
    if (open < 0) return found;
    const close = unescapedAt(text, '}}', open + 2);
    found.push(close < 0 ? text.slice(open + 2) : text.slice(open + 2, close));
    if (close < 0) return found;
    at = close + 2;
  }
}

function unescapedAt(text: string, brackets: string, from: number): number {
  let at = text.indexOf(brackets, from);
  while (at > 0 && text[at - 1] === '\\') at = text.indexOf(brackets, at + 2);
  return at;
}

function compiles(code: string): boolean {
  try {
    compileFunction(code);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}
