import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/harness/package.ts',
    include: ['packages/**/*.test.ts', 'toolsets/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/real/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many tests wait for processes and disks: on two cores, two files at a time halve the wait.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
