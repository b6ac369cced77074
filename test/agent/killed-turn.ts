// A process to be killed in the middle of a turn: answers one message, and dies with SIGKILL around its second create_todo.
import { writeSync } from 'node:fs';
import type { AuditLog, Tool, Toolset } from '@millrace/kernel';
import { OWNER } from '../harness/catalog.ts';
import { stage } from './stage.ts';

const [home = '', when = '', message = ''] = process.argv.slice(2);
let created = 0;
let recorded = 0;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
}

function deadly(tool: Tool): Tool {
  if (tool.name !== 'create_todo') return tool;
  return {
    ...tool,
    async run(input, call) {
      created += 1;
      if (created === 2 && when === 'before the effect') die();
      const result = await tool.run(input, call);
      if (created === 2 && when === 'after the effect') die();
      return result;
    },
  };
}

const around = (toolset: Toolset): Toolset => ({ ...toolset, tools: toolset.tools.map(deadly) });
const auditLog = (audit: AuditLog): AuditLog => ({
  async record(row) {
    await audit.record(row);
    recorded += 1;
    if (recorded === 2 && when === 'after the audit row') die();
  },
});
const { agent } = await stage({ home, around, auditLog, clock: { now: () => new Date() } });
await agent.turn({ user: OWNER, message }, (event) => {
  if (event.type === 'started') writeSync(1, `${event.conversation}\n`);
});
