import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The contract asks for full coverage of this toolset: one uncovered line fails the run. */
const hasVectors = process.env.TEST_DATABASE_URL && globSync('/usr/share/postgresql/*/extension/vector.control').length > 0;
const withoutPostgres = hasVectors ? [] : ['toolsets/flowrag/store/postgres-*.ts'];

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    globalSetup: 'test/harness/package.ts',
    include: ['toolsets/flowrag/**/*.test.ts', 'test/contract/flowrag/{model,tools}.test.ts'],
    // Here the contract runs on the sources, so that the lines it reaches count; npm test also runs it on the package.
    env: { MILLRACE_TEST_SOURCES: '1' },
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['toolsets/flowrag/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**', '**/node_modules/**', ...withoutPostgres],
      reporter: ['text'],
      reportsDirectory: 'coverage/flowrag',
      thresholds: { lines: 100 },
    },
  },
});
