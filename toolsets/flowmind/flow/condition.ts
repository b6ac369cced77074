import type { Expression } from '../language/expression.ts';
import type { Template, Value } from '../language/template.ts';
import type { FlowCompiler } from './compile.ts';
import type { Path } from './document.ts';

export type Condition =
  | { kind: 'expression'; expression: Expression; source: string }
  | SemanticCondition
  /** All of them must hold (`if` beside `and_semantic`). */
  | { kind: 'all'; of: Condition[] };

/** A condition in words. */
export interface SemanticCondition {
  kind: 'semantic';
  text: Template;
  /** The confidence below which a verdict counts as unknown. */
  threshold: number | undefined;
  /** What is judged; the session's latest message and variables when left out. */
  about: Value | undefined;
  /** Sentences for which it holds and does not hold. */
  examples: { holds: string[]; fails: string[] } | undefined;
}

interface Wording {
  confidence_threshold?: number | undefined;
  about?: unknown;
  examples?: string[] | { holds: string[]; fails: string[] } | undefined;
}

/** A condition as it is written: an expression, words, or both. */
export interface WrittenCondition extends Wording {
  if?: string | number | boolean | undefined;
  if_semantic?: string | undefined;
  and_semantic?: string | undefined;
}

export function compileCondition(compiler: FlowCompiler, written: WrittenCondition, path: Path): Condition {
  const parts: Condition[] = [];
  if (written.if !== undefined)
    parts.push({ kind: 'expression', expression: compiler.expression(written.if, path), source: String(written.if) });
  for (const text of [written.if_semantic, written.and_semantic]) {
    if (text !== undefined) parts.push(compileSemantic(compiler, text, written, path));
  }
  const [only] = parts;
  if (!only) {
    compiler.document.error(path, 'A condition is missing');
    return { kind: 'expression', expression: { kind: 'literal', value: false }, source: 'false' };
  }
  return parts.length === 1 ? only : { kind: 'all', of: parts };
}

export function compileSemantic(compiler: FlowCompiler, text: string, written: Wording, path: Path): SemanticCondition {
  const { examples } = written;
  return {
    kind: 'semantic',
    text: compiler.template(text, path),
    threshold: written.confidence_threshold,
    about: written.about === undefined ? undefined : compiler.value(written.about, [...path, 'about']),
    examples: Array.isArray(examples) ? { holds: examples, fails: [] } : examples,
  };
}
