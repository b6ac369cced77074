import { expect, test } from 'vitest';
import { listedTools, measured } from './harness/tool-listing.ts';

const BYTES_PER_TOOL = 1_250;
const TOKENS_PER_TOOL = 156;

test('all tools together stay within 1.25 KB of tools/list and 156 tokens of what a model sees for each', async () => {
  const tools = await listedTools();
  const rows = measured(tools);
  const table = rows
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ tool, bytes, tokens }) => `${tool.padEnd(30)}${String(bytes).padStart(7)} bytes${String(tokens).padStart(6)} tokens`);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  expect(bytes, table.join('\n')).toBeLessThanOrEqual(tools.length * BYTES_PER_TOOL);
  expect(tokens, table.join('\n')).toBeLessThanOrEqual(tools.length * TOKENS_PER_TOOL);
});
