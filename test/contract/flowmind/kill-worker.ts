import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMillrace } from '../../harness/millrace.ts';
import { speaking } from '../../harness/workshop.ts';

/** A process that is killed: requests come in as lines of JSON, replies go out as lines. `ledger` shows what really happened. */
const [ledger = '', folder = ''] = process.argv.slice(2);

const FLOW = `
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

const { ask, storage } = await openMillrace({
  toolsets: ['flowmind'],
  folder,
  files: { 'contexts/ledger.yaml': FLOW, 'contexts/alone.yaml': ALONE },
  extraToolsets: [toolset],
});
const sessions = () => storage.store.db.selectFrom('flowmind_sessions').select(['id', 'status']).execute();
process.stdout.write('{"ready": true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, parameters, list } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(list ? await sessions() : await ask(tool, parameters))}\n`);
}
