import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { contextJsonSchema } from './schema.ts';

test('docs/context.schema.json is what the parser takes (renew it with: millrace context schema > docs/context.schema.json)', async () => {
  const kept = await readFile(new URL('../../../docs/context.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(contextJsonSchema())));
});
