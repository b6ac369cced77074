// A process to be killed in the middle of a turn: answers one message, and dies with SIGKILL around its second create_todo.
import { writeSync } from 'node:fs';
import type { AuditLog } from '@millrace/kernel';
import { OWNER } from '../harness/millrace.ts';
import { stage } from './stage.ts';

const [folder = '', when = '', message = ''] = process.argv.slice(2);
let created = 0;
let recorded = 0;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
}

const observe = (audit: AuditLog): AuditLog => ({
  async record(row) {
    await audit.record(row);
    recorded += 1;
    if (recorded === 2 && when === 'after the audit row') die();
  },
});
const { agent, around } = await stage({ folder, observe, clock: { now: () => new Date() } });
around('create_todo', (run) => async (input, call) => {
  created += 1;
  if (created === 2 && when === 'before the effect') die();
  const result = await run(input, call);
  if (created === 2 && when === 'after the effect') die();
  return result;
});
await agent.turn({ user: OWNER, message }, (event) => {
  if (event.type === 'started') writeSync(1, `${event.conversation}\n`);
});
