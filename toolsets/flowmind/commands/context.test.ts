import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { libraryFolder } from '../contexts/context-files.ts';
import { contextLint, contextSchema } from './context.ts';

async function lint(positionals: string[], values: Record<string, boolean> = {}) {
  const out: string[] = [];
  const said: string[] = [];
  const terminal = {
    program: 'millrace',
    out: (text: string) => void out.push(text),
    say: (text: string) => void said.push(text),
    status() {},
    progress: () => () => {},
    interactive: false,
    columns: 80,
    signal: new AbortController().signal,
  };
  return { code: await contextLint.run({ positionals, values }, terminal, undefined), out, said, terminal };
}

test('the library is without findings', async () => {
  const { code, out, said } = await lint([libraryFolder() as string]);
  expect({ code, out }).toEqual({ code: 0, out: [] });
  expect(said.at(-1)).toMatch(/^\d+ contexts, 0 errors$/);
});

test('mistakes are reported with file, line and column', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-lint-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, 'bad.yaml'),
    'metadata: { type: workflow, id: bad, description: Bad }\nflow:\n  - if: "a =="\n    then: []\n',
  );
  await writeFile(join(folder, 'one.yaml'), 'metadata: { type: agent, id: same, name: One, description: One }\n');
  await writeFile(join(folder, 'two.yaml'), 'metadata: { type: agent, id: same, name: Two, description: Two }\n');
  const { code, out, said } = await lint([folder]);
  expect(code).toBe(1);
  expect(out.join('\n')).toMatch(new RegExp(`${join(folder, 'bad.yaml')}:3:\\d+ error: `));
  expect(out.join('\n')).toContain('agent://same is also defined in');
  expect(said.at(-1)).toMatch(/3 contexts, \d+ errors/);
  const json = await lint([join(folder, 'bad.yaml')], { json: true });
  expect(JSON.parse(json.out[0] as string)[0]).toMatchObject({
    file: join(folder, 'bad.yaml'),
    uri: null,
    issues: [{ severity: 'error', line: 3 }],
  });
});

test('nothing to check is a mistake, too', async () => {
  expect((await lint([])).code).toBe(2);
  expect((await lint(['/nowhere/at/all'])).code).toBe(1);
});

test('the schema for editors is printed', async () => {
  const { terminal, out } = await lint([]);
  expect(await contextSchema.run({ positionals: [], values: {} }, terminal, undefined)).toBe(0);
  expect(JSON.parse(out.at(-1) as string)).toMatchObject({ title: 'Millrace context', type: 'object' });
});
