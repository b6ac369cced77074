import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { standIn } from '../harness/openai-stand-in.ts';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';

test('lines from a pipe are answered one after the other', async () => {
  using folder = temporaryFolder();
  const child = spawn(process.execPath, [LAUNCHER, 'chat'], { env: cleanEnvironment(folder.path), stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.stdin.end('add milk\nmark it as done\n');
  expect(await ended).toBe(0);
  expect(output).toBe('  · create_todo ✓\nAdded "Milk".\n  · update_todo ✓\nMarked "Milk" as done.\n');
}, 60_000);

describe('one answer with -m', () => {
  const answer = (args: string[], env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [LAUNCHER, 'chat', ...args], { env }).then(
      () => Promise.reject(new Error('it worked')),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );

  test('regression: a person who cannot answer was asked to say "try again", whatever the trouble was', async () => {
    using folder = temporaryFolder();
    const endpoint = await standIn();
    const env = cleanEnvironment(folder.path, { MILLRACE_MODEL_PROVIDER: 'openai', MILLRACE_MODEL_URL: endpoint.url });
    try {
      endpoint.will({ text: 'one two', cutAfter: 1 });
      const broken = await answer(['-m', 'hello'], env);
      expect(broken.code).toBe(1);
      const [, conversation = ''] =
        /^The model's answer broke off .*\nYour .* chat --conversation (\S+) --retry\n$/.exec(broken.stdout) ?? [];
      endpoint.will({ status: 404 });
      const missing = await answer(['--conversation', conversation, '--retry'], env);
      expect(missing).toEqual({
        code: 1,
        stdout:
          'The OpenAI-compatible endpoint has no model named "gpt-5-mini" (the default). ' +
          'Set MILLRACE_MODEL to one that it has, or check the address (MILLRACE_MODEL_URL): a wrong path also answers 404.\n',
      });
    } finally {
      await endpoint.close();
    }
  });
});
