import { nearest } from '@millrace/kernel';
import { z } from 'zod';
import { compileNode } from './compile-node.ts';
import type { ContextDocument, Path } from './document.ts';
import { type Expression, ExpressionSyntaxError, parseExpression } from './expression.ts';
import type { FlowNode, Template, Value } from './flow.ts';
import { DROPPED, NODE_KEYS, type NodeName, nodeShapes } from './nodes.ts';
import { parseTemplate, parseValue } from './value.ts';

const MAX_NESTING = 40;
const SHAPES = nodeShapes(z.union([z.array(z.unknown()), z.record(z.string(), z.unknown()), z.string()]));

/** Turns the nodes of a file into the typed flow. Mistakes go to the document with their place, and the node is left out. */
export class FlowCompiler {
  readonly document: ContextDocument;
  readonly functions: ReadonlySet<string>;
  readonly #ids = new Set<string>();
  #nesting = 0;

  constructor(document: ContextDocument, functions: ReadonlySet<string>) {
    this.document = document;
    this.functions = functions;
  }

  /** A list of nodes; a single node may stand for a list of one. */
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

  #node(written: unknown, path: Path): FlowNode[] {
    if (typeof written === 'string') return this.#node(fromText(written), path);
    if (written === null || typeof written !== 'object' || Array.isArray(written)) {
      this.document.error(path, 'Expected a node such as {step: …}, {call: …} or {if: …}');
      return [];
    }
    const object = written as Record<string, unknown>;
    const dropped = Object.keys(object).find((key) => Object.hasOwn(DROPPED, key));
    if (dropped) {
      this.document.error([...path, dropped], DROPPED[dropped] as string);
      return [];
    }
    const name = nodeName(object);
    if (!name) {
      this.document.error(path, unknownNode(object));
      return [];
    }
    const parsed = SHAPES[name].safeParse(object);
    if (!parsed.success) {
      this.#report(parsed.error, path, name);
      return [];
    }
    const node = compileNode(this, name, parsed.data, object, path);
    return node ? [node] : [];
  }

  #report(error: z.ZodError, path: Path, name: NodeName): void {
    for (const issue of error.issues) {
      const at = [...path, ...(issue.path as (string | number)[])];
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys) {
          const [close] = nearest(key, Object.keys(SHAPES[name].shape), 1);
          this.document.error([...at, key], `${name} has no field "${key.slice(0, 60)}"${close ? `; did you mean "${close}"?` : ''}`);
        }
      } else this.document.error(at, `${issue.path.join('.') || name}: ${issue.message}`);
    }
  }

  id(wanted: unknown, path: Path): string {
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

/** `- workflow://x` runs it, `- agent://x` lets it speak, any other text is an instruction. */
function fromText(text: string): Record<string, unknown> {
  if (/^(workflow|pattern):\/\//.test(text)) return { workflow: text };
  if (/^agent:\/\//.test(text)) return { agent: text };
  return { instruction: text };
}

function nodeName(object: Record<string, unknown>): NodeName | undefined {
  const found = NODE_KEYS.find(([key]) => Object.hasOwn(object, key));
  return found?.[1];
}

function unknownNode(object: Record<string, unknown>): string {
  const keys = Object.keys(object);
  const known = NODE_KEYS.map(([key]) => key);
  for (const key of keys) {
    const [close] = nearest(key, known, 1);
    if (close) return `Unknown node "${key.slice(0, 60)}"; did you mean "${close}"?`;
  }
  return keys.length === 0
    ? 'An empty node'
    : `Unknown node "${(keys[0] as string).slice(0, 60)}"; known: step, ask, call, if, for_each, while, …`;
}

function isWait(written: unknown): boolean {
  return written !== null && typeof written === 'object' && Object.keys(written).length === 1 && 'wait_for' in written;
}

/** A `wait_for` that stands after its parallel belongs to it. */
function withWait(written: unknown, following: unknown): unknown {
  const isParallel = written !== null && typeof written === 'object' && 'parallel' in written;
  return isParallel && isWait(following) ? { ...written, ...(following as object) } : written;
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
