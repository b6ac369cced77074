import { isAlias, isCollection, isNode, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import type { ContextIssue } from './context.ts';

export type Path = readonly (string | number)[];

/** Lines and columns start at 1. */
export interface Position {
  line: number;
  column: number;
}

const MAX_TEXT = 1_000_000;
const MAX_ALIASES = 100;

/** A YAML text with the place of everything in it. Findings are gathered, not thrown. */
export class ContextDocument {
  readonly issues: ContextIssue[] = [];
  readonly #lines = new LineCounter();
  readonly #document: ReturnType<typeof parseDocument> | undefined;

  constructor(text: string) {
    if (text.length > MAX_TEXT) {
      this.#add('error', [], { line: 1, column: 1 }, `The file is larger than ${MAX_TEXT.toLocaleString('en')} characters`);
      return;
    }
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true });
    for (const error of this.#document.errors) {
      this.#add('error', [], this.#positionAt(error.pos[0]), `The YAML is broken: ${error.message.split('\n')[0]}`);
    }
    if (this.broken) return;
    this.#refuseCycles();
  }

  get broken(): boolean {
    return this.issues.some((issue) => issue.severity === 'error');
  }

  /** The plain value of the whole text, or undefined when it cannot be had. */
  value(): unknown {
    if (!this.#document || this.broken) return undefined;
    try {
      return this.#document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      this.error([], `The YAML uses more than ${MAX_ALIASES} aliases`);
      return undefined;
    }
  }

  error(path: Path, message: string): void {
    this.#add('error', path, this.position(path), message);
  }

  /** An error that zod found below a path. */
  refuse(issue: z.core.$ZodIssue, path: Path, whole: string): void {
    this.error([...path, ...keysOf(issue)], `${issue.path.join('.') || whole}: ${issue.message}`);
  }

  warning(path: Path, message: string): void {
    this.#add('warning', path, this.position(path), message);
  }

  /** The place of the value at a path; of its nearest ancestor when it is not there. */
  position(path: Path): Position {
    for (let length = path.length; length >= 0; length--) {
      const node = this.#nodeAt(path.slice(0, length));
      if (node?.range) return this.#positionAt(node.range[0]);
    }
    return { line: 1, column: 1 };
  }

  #nodeAt(path: Path): Node | undefined {
    let node: unknown = this.#document?.contents;
    for (const key of path) {
      if (isAlias(node)) node = this.#document && node.resolve(this.#document);
      node = isCollection(node) ? node.get(key, true) : undefined;
    }
    return isNode(node) ? node : undefined;
  }

  #positionAt(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  /** An alias inside of what it stands for would never end. */
  #refuseCycles(): void {
    const document = this.#document;
    if (!document) return;
    visit(document, {
      Alias: (_key, alias, ancestors) => {
        const target = alias.resolve(document);
        if (target && !ancestors.includes(target)) return;
        const at = this.#positionAt(alias.range?.[0] ?? 0);
        const message = target ? `The alias *${alias.source} contains itself` : `The alias *${alias.source} stands for nothing`;
        this.#add('error', [], at, message);
      },
    });
  }

  #add(severity: ContextIssue['severity'], path: Path, position: Position, message: string): void {
    this.issues.push({ severity, message, line: position.line, column: position.column, path: pathText(path) });
  }
}

/** YAML has no symbols for keys. */
export function keysOf(issue: { path: readonly PropertyKey[] }): Path {
  return issue.path.filter((key) => typeof key !== 'symbol');
}

function pathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}
