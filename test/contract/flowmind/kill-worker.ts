import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { assemble, openStore, speaking } from './assembly.ts';

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
        with: {text: "entry \${i}"}
      - call: read
        with: {text: "look \${i}"}
      - step: "Round"
        instruction: "Round \${i}"
  - return: "\${i}"
`;

const ALONE = FLOW.replace('id: ledger', 'id: alone').replace(/ {6}- step[\s\S]*?(?= {2}- return)/, '');

const toolset = speaking('ledger', [
  {
    name: 'enter',
    description: 'Enters a line',
    access: 'write',
    run: async (line) => {
      await sleep(3);
      appendFileSync(ledger, `${line}\n`);
      await sleep(3);
      return line;
    },
  },
  {
    name: 'read',
    description: 'Reads',
    access: 'read',
    run: async (line) => {
      await sleep(2);
      return line;
    },
  },
]);

const flowmind = await assemble(workspace, { contexts: [FLOW, ALONE], toolsets: [toolset], store: await openStore(database) });
const recovered = await flowmind.services.sessions.recover();
process.stdout.write(`${JSON.stringify({ ready: true, recovered })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { tool: name, parameters, list } = JSON.parse(line);
  const reply = list ? await flowmind.services.sessions.list({ limit: 10 }) : (await flowmind.call(name, parameters)).structured;
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
