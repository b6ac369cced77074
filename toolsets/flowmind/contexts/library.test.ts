import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContextDefinition } from '../language/context.ts';
import { parseContext } from '../language/parse.ts';
import { everyNode } from '../nodes/registry.ts';
import { libraryFolder } from './context-files.ts';

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
