import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The contract asks for full coverage of this toolset: one uncovered line fails the run. */
const hasVectors = process.env.TEST_DATABASE_URL && globSync('/usr/share/postgresql/*/extension/vector.control').length > 0;
const withoutPostgres = hasVectors ? [] : ['toolsets/flowrag/store/postgres-*.ts'];

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['toolsets/flowrag/**/*.test.ts', 'test/contract/flowrag/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/real/**', '**/coverage.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['toolsets/flowrag/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.testing.ts', '**/node_modules/**', ...withoutPostgres],
      reporter: ['text'],
      reportsDirectory: 'coverage/flowrag',
      thresholds: { lines: 100 },
    },
  },
});
