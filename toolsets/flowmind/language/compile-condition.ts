import type { FlowCompiler } from './compile.ts';
import { baseOf, type Parsed } from './compile-parts.ts';
import type { Path } from './document.ts';
import type { Condition, IfNode, SemanticCondition, SwitchNode, SwitchSemanticNode } from './flow.ts';

interface WrittenCondition {
  if?: string | number | boolean | undefined;
  if_semantic?: string | undefined;
  and_semantic?: string | undefined;
  confidence_threshold?: number | undefined;
  about?: unknown;
  examples?: string[] | { holds: string[]; fails: string[] } | undefined;
}

export function compileCondition(compiler: FlowCompiler, written: WrittenCondition, path: Path): Condition {
  const parts: Condition[] = [];
  if (written.if !== undefined)
    parts.push({ kind: 'expression', expression: compiler.expression(written.if, path), source: String(written.if) });
  if (written.if_semantic !== undefined) parts.push(semantic(compiler, written.if_semantic, written, path));
  if (written.and_semantic !== undefined) parts.push(semantic(compiler, written.and_semantic, written, path));
  const [only] = parts;
  if (!only) {
    compiler.document.error(path, 'A condition is missing');
    return { kind: 'expression', expression: { kind: 'literal', value: false }, source: 'false' };
  }
  return parts.length === 1 ? only : { kind: 'all', of: parts };
}

function semantic(compiler: FlowCompiler, text: string, written: WrittenCondition, path: Path): SemanticCondition {
  const { examples } = written;
  return {
    kind: 'semantic',
    text: compiler.template(text, path),
    threshold: written.confidence_threshold,
    about: written.about === undefined ? undefined : compiler.value(written.about, [...path, 'about']),
    examples: Array.isArray(examples) ? { holds: examples, fails: [] } : examples,
  };
}

export function compileIf(compiler: FlowCompiler, data: Parsed<'if'>, path: Path): IfNode {
  const written = { ...data, if_semantic: data.if_semantic ?? data.when_semantic };
  const first = { condition: compileCondition(compiler, written, path), body: body(compiler, data, path) };
  const others = (data.elif ?? []).map((each, index) => {
    const at = [...path, 'elif', index];
    const condition = compileCondition(compiler, { ...each, if: each.if ?? each.elif ?? each.condition }, at);
    return { condition, body: body(compiler, each, at) };
  });
  return {
    kind: 'if',
    ...baseOf(compiler, data, path),
    branches: [first, ...others],
    otherwise: compiler.flow(data.else, [...path, 'else']),
    fallback:
      data.low_confidence_fallback === undefined
        ? undefined
        : compiler.flow(data.low_confidence_fallback, [...path, 'low_confidence_fallback']),
  };
}

function body(compiler: FlowCompiler, written: { then?: unknown; do?: unknown }, path: Path) {
  const key = written.then === undefined ? 'do' : 'then';
  return compiler.flow(written[key], [...path, key]);
}

/** `{value: [nodes]}`, or a list of `{case: value, do: [nodes]}`. */
function writtenCases(cases: unknown, path: Path): { label: unknown; body: unknown; at: Path; written: Record<string, unknown> }[] {
  if (Array.isArray(cases)) {
    return cases.map((each, index) => {
      const written = each as Record<string, unknown>;
      const key = written['then'] === undefined ? 'do' : 'then';
      const label =
        written['case'] ?? written['when'] ?? written['value'] ?? written['condition'] ?? written['if_semantic'] ?? written['semantic'];
      return { label, body: written[key], at: [...path, 'cases', index, key], written };
    });
  }
  return Object.entries(cases as Record<string, unknown>).map(([label, value]) => ({
    label,
    body: value,
    at: [...path, 'cases', label],
    written: {},
  }));
}

export function compileSwitch(compiler: FlowCompiler, data: Parsed<'switch'>, path: Path): SwitchNode {
  const cases = writtenCases(data.cases, path);
  const fallback = cases.find((each) => each.label === 'default');
  return {
    kind: 'switch',
    ...baseOf(compiler, data, path),
    on: compiler.expression(data.switch, [...path, 'switch']),
    cases: cases
      .filter((each) => each !== fallback)
      .map((each) => ({ values: Array.isArray(each.label) ? each.label : [each.label], body: compiler.flow(each.body, each.at) })),
    otherwise:
      data.default === undefined ? compiler.flow(fallback?.body, fallback?.at ?? path) : compiler.flow(data.default, [...path, 'default']),
  };
}

export function compileSwitchSemantic(compiler: FlowCompiler, data: Parsed<'switch_semantic'>, path: Path): SwitchSemanticNode {
  const cases = writtenCases(data.cases, path).map((each) => {
    const label = typeof each.label === 'string' ? each.label : '';
    if (!label) compiler.document.error(each.at, 'A case needs a condition in words');
    const examples = each.written['examples'];
    return {
      condition: semantic(
        compiler,
        label.replaceAll('_', ' '),
        { confidence_threshold: data.confidence_threshold, ...(Array.isArray(examples) && { examples: examples.map(String) }) },
        each.at,
      ),
      body: compiler.flow(each.body, each.at),
    };
  });
  return {
    kind: 'switch_semantic',
    ...baseOf(compiler, data, path),
    on: compiler.value(data.switch_semantic, [...path, 'switch_semantic']),
    cases,
    otherwise: compiler.flow(data.default, [...path, 'default']),
    fallback:
      data.low_confidence_fallback === undefined
        ? undefined
        : compiler.flow(data.low_confidence_fallback, [...path, 'low_confidence_fallback']),
  };
}
