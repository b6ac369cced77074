import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeTable } from '../flow/nodes/registry.ts';
import { FUNCTIONS } from '../language/functions.ts';
import { parseContext } from './parse.ts';

const page = readFileSync(new URL('../../../docs/flowmind-language.md', import.meta.url), 'utf8');

test('the page has the table of nodes as the registry makes it (renew it with: npm run generate)', () => {
  expect(page).toContain(nodeTable());
});

test('the example of the documentation is a context without a mistake', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(parseContext(example, { kind: 'workspace' })).toMatchObject({ definition: { uri: 'workflow://incident-response' }, issues: [] });
  for (const name of Object.keys(FUNCTIONS).filter((each) => each !== 'analyze')) expect(page).toContain(` ${name}`.trim());
});
