import { expect, test } from 'vitest';
import { processTerminal } from './terminal.ts';

test.skipIf(process.stderr.isTTY)('without a terminal there are no columns to cut lines at', () => {
  const { columns } = processTerminal('millrace', new AbortController().signal);
  expect('x'.repeat(200).slice(0, columns)).toHaveLength(200);
});
