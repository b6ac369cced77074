// The size of the tool list for a client and a model: node bench/tool-listing.ts
import { setup } from '../test/harness/package.ts';
import { listedTools, measured } from '../test/harness/tool-listing.ts';
import { table } from './measure.ts';

setup();
const tools = await listedTools();
const rows = measured(tools);
const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);

process.stdout.write(
  `${table(
    ['tool', 'bytes of tools/list', 'tokens a model sees'],
    [
      ...rows.toSorted((a, b) => b.tokens - a.tokens).map((row) => [row.tool, String(row.bytes), String(row.tokens)]),
      [`all ${rows.length}`, String(Buffer.byteLength(JSON.stringify({ tools }))), String(tokens)],
    ],
  )}\n`,
);
process.exit();
