import type { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

/** What n8n reads expressions with. */
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

/**
 * Says why n8n cannot read an expression (without its leading `=`), or nothing. What JavaScript itself can read is taken for readable;
 * only of the rest is n8n's own reader asked, which is slower by far. Nothing is ever run.
 */
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
