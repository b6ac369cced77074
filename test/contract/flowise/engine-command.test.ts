import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeStandIn } from '../../../toolsets/flowise/testing/stand-in.ts';
import { EngineCommand } from '../../harness/engine-command.ts';
import { cleanEnvironment, temporaryFolder } from '../../harness/process.ts';

/** A home with an installed Flowise, in whose place a small program stands that answers like it. */
async function homeWithFlowise(folder: string): Promise<Record<string, string>> {
  const environment = cleanEnvironment(folder);
  const engine = join(folder, 'home', 'engines', 'flowise-3.1.4');
  await writeStandIn(join(engine, 'app', 'node_modules', 'flowise'));
  writeFileSync(join(engine, 'installed.json'), JSON.stringify({ version: '3.1.4', node: process.versions.modules }));
  mkdirSync(join(folder, 'workspace'), { recursive: true });
  return environment;
}

test('millrace engine add flowise: started, found again, taken over after a kill, and stopped', async () => {
  using folder = temporaryFolder();
  const environment = await homeWithFlowise(folder.path);
  const first = new EngineCommand(environment, 'engine', 'add', 'flowise');
  const lines = await first.lines();
  expect(lines, first.said).toMatch(/^FLOWISE_API_URL=http:\/\/127\.0\.0\.1:\d+\nFLOWISE_API_KEY=key-0\n$/);
  expect(first.said).toContain('Sign in there with owner@millrace.local and the password ');
  const url = /URL=(.*)/.exec(lines)?.[1];

  const second = new EngineCommand(environment, 'engine', 'add', 'flowise');
  expect(await second.exit).toBe(0);
  expect(second.printed).toBe(lines);
  expect(second.said).toContain(`Flowise already runs at ${url}; process ${first.child.pid} looks after it`);

  const list = new EngineCommand(environment, 'engine', 'list', '--json');
  await list.exit;
  expect(JSON.parse(list.printed).engines).toContainEqual(
    expect.objectContaining({ engine: 'flowise', version: '3.1.4', state: `runs at ${url}` }),
  );

  first.child.kill('SIGKILL');
  await first.exit;
  const third = new EngineCommand(environment, 'engine', 'add', 'flowise');
  expect(await third.lines()).toBe(lines);
  expect(third.said).toContain('left behind by a start that was killed');
  third.child.kill('SIGTERM');
  expect(await third.exit).toBe(0);
  await expect(fetch(`${url}/api/v1/ping`)).rejects.toThrow();
});

test('millrace engine: errors explain what to do', async () => {
  using folder = temporaryFolder();
  const environment = cleanEnvironment(folder.path);
  for (const [words, said] of [
    [['add', 'flowise', '--engine-port', 'x'], '--engine-port is a number from 1 to 65535'],
    [['add', 'flowis'], 'engine add <n8n|flowise>'],
  ] as const) {
    const command = new EngineCommand(environment, 'engine', ...words);
    expect(await command.exit).toBe(1);
    expect(command.said).toContain(said);
  }
  const list = new EngineCommand(environment, 'engine', 'list');
  expect(await list.exit, list.said).toBe(0);
  expect(list.printed).toMatch(/flowise +3\.1\.4 +not installed: .*millrace(\.js)? engine add flowise/);
});
