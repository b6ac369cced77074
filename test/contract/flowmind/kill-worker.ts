import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonReply, type Toolset, toolsOf } from '@millrace/kernel';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { z } from 'zod';
import { type FlowmindTables, sessionMigrations } from '../../../toolsets/flowmind/store/tables.ts';
import { assemble } from './assembly.ts';

/** A process that is killed: requests come in as lines of JSON, replies go out as lines. `ledger` shows what really happened. */
const [database = '', ledger = '', workspace = ''] = process.argv.slice(2);

export const FLOW = `
metadata: {id: ledger, description: Writes a ledger}
flow:
  - set: {i: 0}
  - while: i < 6
    do:
      - increment: i
      - call: enter
        with: {line: "entry \${i}"}
      - call: read
        with: {line: "look \${i}"}
      - step: "Round"
        instruction: "Round \${i}"
  - return: "\${i}"
`;

const ALONE = FLOW.replace('id: ledger', 'id: alone').replace(/ {6}- step[\s\S]*?(?= {2}- return)/, '');

const tool = toolsOf<Record<string, never>>();
const input = z.strictObject({ line: z.string() });
const output = z.object({ line: z.string() });
const hints = { destructiveHint: false, openWorldHint: false };
const toolset: Toolset = {
  name: 'ledger',
  title: 'Ledger',
  instructions: '',
  services: {},
  wire: {
    outputSchema: () => ({ type: 'object' }),
    success: (_tool, value) => jsonReply(value, false),
    failure: (_tool, failure) => jsonReply({ error: failure.message }, true, failure),
  },
  tools: [
    tool({
      name: 'enter',
      description: 'Enters a line',
      access: 'write',
      annotations: { title: 'Enter', readOnlyHint: false, idempotentHint: false, ...hints },
      input,
      output,
      run: async ({ line }) => {
        await sleep(3);
        appendFileSync(ledger, `${line}\n`);
        await sleep(3);
        return { line };
      },
    }),
    tool({
      name: 'read',
      description: 'Reads',
      access: 'read',
      annotations: { title: 'Read', readOnlyHint: true, idempotentHint: true, ...hints },
      input,
      output,
      run: async ({ line }) => {
        await sleep(2);
        return { line };
      },
    }),
  ] as Toolset['tools'],
};

const store = new SqliteStore<FlowmindTables>(openSqlite({ path: database, synchronous: 'FULL' }));
await migrate(store, sessionMigrations, new Date());
const flowmind = await assemble(workspace, { contexts: [FLOW, ALONE], toolsets: [toolset], store });
const recovered = await flowmind.services.sessions.recover();
process.stdout.write(`${JSON.stringify({ ready: true, recovered })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { tool: name, parameters, list } = JSON.parse(line);
  const reply = list ? await flowmind.services.sessions.list({ limit: 10 }) : (await flowmind.call(name, parameters)).structured;
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
