import { defineConfig } from 'vitest/config';

/** Against real servers, installed outside the checkout: slow, one file after another. */
export default defineConfig({
  test: {
    globalSetup: 'test/harness/package.ts',
    include: ['test/real/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 1_200_000,
    fileParallelism: false,
    pool: 'forks',
  },
});
