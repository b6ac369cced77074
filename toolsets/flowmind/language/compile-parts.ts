import type { z } from 'zod';
import type { FlowCompiler } from './compile.ts';
import type { Path } from './document.ts';
import type { Value } from './flow.ts';
import type { NodeName, NodeShapes } from './nodes.ts';

/** The fields of a node as they are written, checked. */
export type Parsed<Name extends NodeName> = z.output<NodeShapes[Name]>;

/** What every node has. */
export function baseOf(compiler: FlowCompiler, data: { id?: unknown; name?: unknown; step?: unknown }, path: Path) {
  return {
    id: compiler.id(data.id ?? data.name ?? (typeof data.step === 'string' ? data.step : undefined), path),
    position: compiler.document.position(path),
  };
}

export function storeOf(data: {
  store_result?: string | undefined;
  store_as?: string | undefined;
  output?: string | undefined;
}): string | undefined {
  return data.store_result ?? data.store_as ?? data.output;
}

export function valuesOf(compiler: FlowCompiler, written: Record<string, unknown> | undefined, path: Path): [string, Value][] {
  return Object.entries(written ?? {}).map(([key, value]) => [key, compiler.value(value, [...path, key])]);
}

/** The origin's files name agents with and without the scheme. */
export function agentUri(written: string): string {
  return written.includes('://')
    ? written
    : `agent://${written
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9/]+/g, '-')}`;
}
