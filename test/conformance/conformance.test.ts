import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { conformanceServer } from './server.ts';

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
let server: Awaited<ReturnType<typeof conformanceServer>>;

beforeAll(async () => {
  server = await conformanceServer();
});
afterAll(() => server.close());

async function conformance(revision: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      suite,
      'server',
      '--url',
      `${server.url}/mcp`,
      '--requirements',
      revision,
      '--expected-failures',
      join(import.meta.dirname, 'expected-failures.yaml'),
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
}

/** Every scenario with a failed check must be one of the Tasks extension, whether the suite scores it or not. */
function failingScenarios(output: string): string[] {
  return [...output.matchAll(/^✗ ([\w-]+): /gm)].map((match) => match[1] as string);
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  verifies(
    ['kernel-protocol-eras', 'kernel-http'],
    `the MCP conformance suite passes at ${revision}, but for the Tasks extension`,
    async () => {
      const output = await conformance(revision);
      expect(output).toMatch(/^Total: \d{2,} passed/m);
      expect(failingScenarios(output).filter((scenario) => !scenario.startsWith('tasks-'))).toEqual([]);
    },
    120_000,
  );
}
