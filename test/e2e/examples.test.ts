import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LAUNCHER, PACKAGE, ROOT } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernMeta, StdioProcess, temporaryFolder } from '../harness/process.ts';

const run = promisify(execFile);

test('the stdio example adds, completes and lists a todo', async () => {
  using folder = temporaryFolder();
  const { stdout } = await run(process.execPath, [join(ROOT, 'examples/todos-over-stdio.mjs')], { env: cleanEnvironment(folder.path) });
  expect(stdout).toMatch(/Buy groceries[\s\S]*Buy groceries[\s\S]*0 still open/);
});

test('the REST example lists the tools and adds a todo', async () => {
  using folder = temporaryFolder();
  const token = 'a-token-for-the-example-of-REST';
  const env = cleanEnvironment(folder.path, { MILLRACE_TOKEN: token, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'todo' });
  const server = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
  const { stdout } = await run(process.execPath, [join(ROOT, 'examples/todos-over-rest.mjs')], {
    env: { ...env, MILLRACE_URL: server.url },
  });
  expect(stdout).toMatch(/^5 tools\n.*Call mom/);
  await server.stop();
});

test('the example of a toolset is a folder that the package loads: tools, settings, a table and checks', async () => {
  using folder = temporaryFolder();
  const notes = join(PACKAGE, '../../notes');
  cpSync(join(ROOT, 'examples/notes'), notes, { recursive: true });
  const start = () => new StdioProcess([join(notes, 'server.ts')], cleanEnvironment(folder.path, { NOTES_LONGEST: '40' }));
  const call = async (server: StdioProcess, name: string, parameters = {}) =>
    (await server.request('tools/call', { name, arguments: parameters, _meta: modernMeta() })).result;
  const first = start();
  const { result = {} } = await first.request('tools/list', { _meta: modernMeta() });
  expect((result.tools as { name: string }[]).map(({ name }) => name)).toEqual(expect.arrayContaining(['create_todo', 'add_note']));
  expect(await call(first, 'add_note', { text: 'The parking permit ends in May' })).toMatchObject({
    content: [{ text: 'Noted: The parking permit ends in May' }],
  });
  expect(await call(first, 'add_note', { text: 'x'.repeat(41) })).toMatchObject({
    isError: true,
    structuredContent: { error: { message: 'A note may have 40 characters, and this one has 41' } },
  });
  await first.close();
  const second = start();
  expect(await call(second, 'list_notes')).toMatchObject({ content: [{ text: '- The parking permit ends in May' }] });
  await second.close();
});
