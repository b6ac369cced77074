import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LAUNCHER, ROOT } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, temporaryFolder } from '../harness/process.ts';

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
