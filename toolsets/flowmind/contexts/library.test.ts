import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContextDefinition } from '../flow/context.ts';
import { everyNode } from '../flow/nodes/registry.ts';
import { libraryFolder } from './context-files.ts';
import { parseContext } from './parse.ts';

const folder = libraryFolder() as string;
const contexts = globSync('**/*.yaml', { cwd: folder }).map(
  (path) => parseContext(readFileSync(join(folder, path), 'utf8'), { kind: 'builtin', path }).definition as ContextDefinition,
);

test('what a flow uses is there', () => {
  const uris = new Set(contexts.map((context) => context.uri));
  for (const context of contexts) {
    for (const uri of context.dependencies) expect(uris, `${uri} of ${context.uri}`).toContain(uri);
    expect([...everyNode(context.flow)].length, context.uri).toBeGreaterThan(1);
  }
});
