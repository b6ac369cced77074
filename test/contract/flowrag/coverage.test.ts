import { expect } from 'vitest';
import { verifies } from '../../requirements.ts';
import coverage from './coverage.config.ts';

verifies('flowrag-coverage', 'one uncovered line of the toolset fails the run', () => {
  const { test } = coverage as { test: { coverage: Record<string, unknown> } };
  expect(test.coverage).toMatchObject({ enabled: true, include: ['toolsets/flowrag/**/*.ts'], thresholds: { lines: 100 } });
});
