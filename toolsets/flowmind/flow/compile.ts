import { isRecord, nearest } from '@millrace/kernel';
import { z } from 'zod';
import { type Expression, ExpressionSyntaxError, parseExpression } from '../language/expression.ts';
import { parseTemplate, parseValue, type Template, type Value } from '../language/template.ts';
import { type ContextDocument, keysOf, type Path } from './document.ts';
import { type NodeBase, shapeOf } from './nodes/node.ts';
import { type FlowNode, kindWritten, NODE_KINDS } from './nodes/registry.ts';

const MAX_NESTING = 40;
const BODY = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown()), z.string()]);
const SHAPES = new Map(NODE_KINDS.map((kind) => [kind, shapeOf(kind, BODY)]));

/** What the origin's language has and this one leaves out, with what to write instead. */
const DROPPED: Readonly<Record<string, string>> = {
  http_request: 'http_request is not available: call a tool that makes the request, such as one of an n8n workflow',
  execute_script: 'execute_script is not available: call a tool that does the work, or compute with @computed(…)',
};

/** Turns the nodes of a file into the typed flow. Errors go to the document with their position, and the node is left out. */
export class FlowCompiler {
  readonly document: ContextDocument;
  readonly functions: ReadonlySet<string>;
  readonly #ids = new Set<string>();
  #nesting = 0;

  constructor(document: ContextDocument, functions: ReadonlySet<string>) {
    this.document = document;
    this.functions = functions;
  }

  /** A list of nodes; a single node counts as a list of one. */
  flow(written: unknown, path: Path): FlowNode[] {
    if (written === undefined || written === null) return [];
    if (this.#nesting >= MAX_NESTING) {
      this.document.error(path, `The flow is nested more than ${MAX_NESTING} levels deep`);
      return [];
    }
    this.#nesting++;
    const nodes = Array.isArray(written)
      ? written.flatMap((each, index) => (isWait(each) ? [] : this.#node(withWait(each, written[index + 1]), [...path, index])))
      : this.#node(written, path);
    this.#nesting--;
    return nodes;
  }

  optionalFlow(written: unknown, path: Path): FlowNode[] | undefined {
    return written === undefined ? undefined : this.flow(written, path);
  }

  #node(written: unknown, path: Path): FlowNode[] {
    if (typeof written === 'string') return this.#node(fromText(written), path);
    if (!isRecord(written)) {
      this.document.error(path, 'Expected a node such as {step: …}, {call: …} or {if: …}');
      return [];
    }
    for (const [key, instead] of Object.entries(DROPPED)) {
      if (!Object.hasOwn(written, key)) continue;
      this.document.error([...path, key], instead);
      return [];
    }
    const kind = kindWritten(written);
    const shape = kind && SHAPES.get(kind);
    if (!shape) {
      this.document.error(path, unknownNode(written));
      return [];
    }
    const parsed = shape.safeParse(written);
    if (!parsed.success) {
      this.#report(parsed.error, path, kind.keys[0], Object.keys(shape.shape));
      return [];
    }
    const node = kind.compile(parsed.data, this, path, written);
    return node ? [node] : [];
  }

  #report(error: z.ZodError, path: Path, name: string, fields: string[]): void {
    for (const issue of error.issues) {
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys) {
          const [close] = nearest(key, fields, 1);
          this.document.error(
            [...path, ...keysOf(issue), key],
            `${name} has no field "${key.slice(0, 60)}"${close ? `; did you mean "${close}"?` : ''}`,
          );
        }
      } else this.document.refuse(issue, path, name);
    }
  }

  /** What every node has. */
  base(data: { id?: unknown; name?: unknown; step?: unknown }, path: Path): NodeBase {
    const wanted = data.id ?? data.name ?? (typeof data.step === 'string' ? data.step : undefined);
    return { id: this.#id(wanted, path), position: this.document.position(path) };
  }

  #id(wanted: unknown, path: Path): string {
    const given = typeof wanted === 'string' || typeof wanted === 'number' ? slug(String(wanted)) : '';
    const base = given || slug(path.join('-'));
    let id = base;
    for (let count = 2; this.#ids.has(id); count++) id = `${base}-${count}`;
    this.#ids.add(id);
    return id;
  }

  expression(written: unknown, path: Path): Expression {
    if (typeof written !== 'string') return { kind: 'literal', value: written ?? null };
    return this.#parsed(path, { kind: 'literal', value: null }, () => parseExpression(written));
  }

  value(written: unknown, path: Path): Value {
    return this.#parsed(path, { kind: 'literal', value: null }, () => parseValue(written));
  }

  values(written: Record<string, unknown> | undefined, path: Path): [string, Value][] {
    return Object.entries(written ?? {}).map(([key, value]) => [key, this.value(value, [...path, key])]);
  }

  /** `30s`, `5m`, `2h`, `7d`, or milliseconds. */
  duration(written: string | number | undefined, path: Path): number | undefined {
    if (typeof written !== 'string') return written;
    const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$/.exec(written.trim()) ?? [];
    if (count === undefined) {
      this.document.error(path, `"${written.slice(0, 40)}" is not a valid duration; write 30s, 5m, 2h or 7d`);
      return undefined;
    }
    return Number(count) * (UNIT_MS[unit] ?? UNIT_MS[unit.charAt(0)] ?? 0);
  }

  template(written: string, path: Path): Template {
    return this.#parsed(path, [written], () => parseTemplate(written));
  }

  #parsed<Result>(path: Path, otherwise: Result, parse: () => Result): Result {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ExpressionSyntaxError)) throw error;
      this.document.error(path, error.message);
      return otherwise;
    }
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `- workflow://x` runs it, `- agent://x` lets it speak, any other text is an instruction. */
function fromText(text: string): Record<string, unknown> {
  if (/^(workflow|pattern):\/\//.test(text)) return { workflow: text };
  if (/^agent:\/\//.test(text)) return { agent: text };
  return { instruction: text };
}

function unknownNode(written: Record<string, unknown>): string {
  const [first, ...others] = Object.keys(written);
  if (first === undefined) return 'An empty node';
  const known = NODE_KINDS.flatMap(({ keys, weakKeys = [] }) => [...keys, ...weakKeys]);
  for (const key of [first, ...others]) {
    const [close] = nearest(key, known, 1);
    if (close) return `Unknown node "${key.slice(0, 60)}"; did you mean "${close}"?`;
  }
  return `Unknown node "${first.slice(0, 60)}"; known: step, ask, call, if, for_each, while, …`;
}

function isWait(written: unknown): written is { wait_for: unknown } {
  return isRecord(written) && Object.keys(written).length === 1 && 'wait_for' in written;
}

/** A `wait_for` right after a parallel belongs to it. */
function withWait(written: unknown, following: unknown): unknown {
  return isRecord(written) && 'parallel' in written && isWait(following) ? { ...written, ...following } : written;
}

export function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80)
    .replace(/-+$/, '');
}
