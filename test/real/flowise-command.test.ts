import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { installRealFlowise } from '../../scripts/real-flowise.ts';
import { EngineCommand } from '../harness/engine-command.ts';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';
import { agentflowFunction } from './flowise-flows.ts';

/** A home in which Flowise is installed already: installing it again would take minutes. */
async function homeWithFlowise(folder: string): Promise<Record<string, string>> {
  const { directory, version } = await installRealFlowise();
  const engines = join(folder, 'home', 'engines');
  mkdirSync(engines, { recursive: true });
  mkdirSync(join(folder, 'workspace'));
  symlinkSync(resolve(directory, '..', '..', '..'), join(engines, `flowise-${version}`));
  return cleanEnvironment(folder);
}

test('millrace engine add flowise brings a Flowise that doctor finds well and an assistant works with', async () => {
  using folder = temporaryFolder();
  const environment = await homeWithFlowise(folder.path);
  const first = new EngineCommand(environment, 'engine', 'add', 'flowise');
  const lines = await first.lines();
  expect(lines, first.said).toMatch(/^FLOWISE_API_URL=http:\/\/127\.0\.0\.1:\d+\nFLOWISE_API_KEY=\S+\n$/);
  const settings = Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  try {
    const doctor = new EngineCommand({ ...environment, ...settings }, 'doctor', '--json', '--toolsets', 'flowise');
    expect(await doctor.exit, doctor.printed).toBe(0);
    expect(doctor.printed).toContain('"Flowise rights"');

    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [LAUNCHER, '--toolsets', 'flowise'],
      env: { ...environment, ...settings },
      cwd: dirname(LAUNCHER),
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    // biome-ignore lint/suspicious/noExplicitAny: replies are compared as literals
    const call = async (name: string, parameters: object): Promise<any> =>
      (await client.callTool({ name, arguments: { ...parameters } })).structuredContent;
    const { id } = await call('create_chatflow', { name: 'Through everything', flow_data: agentflowFunction() });
    expect(await call('deploy_chatflow', { chatflow_id: id, deployed: true })).toMatchObject({ deployed: true });
    expect(await call('update_chatflow', { chatflow_id: id, name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    expect(await call('get_chatflow', { chatflow_id: id })).toMatchObject({ name: 'Renamed', deployed: true });
    expect(await call('run_prediction', { chatflow_id: id, question: 'hello' })).toMatchObject({ text: 'ECHO: hello' });
    expect((await call('list_chatflows', {})).result).toMatchObject([{ id }]);
    expect((await call('generate_agentflow_v2', { description: 'Create a translator please' })).error.type).toBe('ValidationError');
    expect(await call('delete_chatflow', { chatflow_id: id })).toMatchObject({ deleted_id: id });
    await client.close();
  } finally {
    first.child.kill('SIGKILL');
    await first.exit;
    const second = new EngineCommand(environment, 'engine', 'add', 'flowise');
    expect(await second.lines(), second.said).toBe(lines);
    second.child.kill('SIGTERM');
    expect(await second.exit).toBe(0);
  }
  await expect(fetch(`${settings['FLOWISE_API_URL']}/api/v1/ping`)).rejects.toThrow();
});
