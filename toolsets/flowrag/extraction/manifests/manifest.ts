import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { record } from '../../document/parse.ts';

export interface Manifest {
  data: Record<string, unknown>;
  /** The line of the value at this path, or of the nearest thing above it. */
  lineOf(...path: (string | number)[]): number;
}

const LARGEST = 2_000_000;

/** The documents of a YAML or JSON file that are objects, with their lines. What cannot be parsed has none. */
export function readManifests(source: string): Manifest[] {
  if (source.length > LARGEST) return [];
  const counter = new LineCounter();
  return [...parseAllDocuments(source, { lineCounter: counter, logLevel: 'silent' })].flatMap((document) => {
    if (document.errors.length > 0) return [];
    let data: Record<string, unknown> | undefined;
    try {
      data = record(document.toJS({ maxAliasCount: 50 }));
    } catch {
      return [];
    }
    return data ? [{ data, lineOf: (...path) => lineAt(document, counter, path) }] : [];
  });
}

function lineAt(document: Document.Parsed, counter: LineCounter, path: (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length > 1 ? document.getIn(path.slice(0, length - 1), true) : document.contents;
    if (!isMap(parent)) continue;
    const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === path[length - 1]);
    const at = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    if (at !== undefined) return counter.linePos(at).line;
  }
  return document.contents?.range ? counter.linePos(document.contents.range[0]).line : 1;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
