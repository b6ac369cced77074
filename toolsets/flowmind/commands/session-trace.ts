import type { Command } from '@millrace/kernel';
import type { FlowmindServices } from '../tool.ts';

export const sessionTrace: Command<FlowmindServices> = {
  name: 'session trace',
  summary: 'Show what a session did, line by line',
  usage: '<session id> [--json]',
  options: { json: { type: 'boolean', description: 'As JSON' } },

  async run({ positionals, values }, terminal, { sessions }) {
    const [id] = positionals;
    const trace = id === undefined ? undefined : await sessions.trace(id);
    if (!trace) {
      terminal.say(id === undefined ? `Which session? "${terminal.program} session list" shows them` : `There is no session ${id}`);
      return id === undefined ? 2 : 1;
    }
    if (values['json']) {
      terminal.out(JSON.stringify(trace.lines, null, 2));
      return 0;
    }
    const { session } = trace;
    terminal.out(`${session.uri}  ${session.status}${session.reason ? ` (${session.reason})` : ''}  ${session.state.stepsDone} steps`);
    for (const { seq, at, kind, node, data } of trace.lines) {
      const details = Object.keys(data).length > 0 ? `  ${JSON.stringify(data)}` : '';
      const line = `${String(seq).padStart(4)}  ${at.slice(11, 23)}  ${kind.padEnd(11)}  ${node}${details}`;
      terminal.out(terminal.interactive ? line.slice(0, Math.max(60, terminal.columns)) : line);
    }
    return 0;
  },
};
