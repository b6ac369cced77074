import type { Command } from '@millrace/kernel';
import type { SessionSummary } from '../execution/session-store.ts';
import { isEnded } from '../execution/view.ts';
import type { FlowmindServices } from '../tool.ts';

const LIMIT = 50;

export const sessionList: Command<FlowmindServices> = {
  name: 'session list',
  summary: 'List workflow sessions, the latest first',
  usage: '[--user <id>] [--status <status>] [--open] [--limit <n>] [--json]',
  options: {
    user: { type: 'string', description: 'Only sessions of this user' },
    status: { type: 'string', description: 'Only sessions with this status' },
    open: { type: 'boolean', description: 'Only sessions that have not ended' },
    limit: { type: 'string', description: `Maximum number of sessions (${LIMIT})` },
    json: { type: 'boolean', description: 'Print as JSON' },
  },

  async run({ values }, terminal, { sessions }) {
    const limit = Number(values['limit'] ?? LIMIT);
    if (!Number.isInteger(limit) || limit < 1) {
      terminal.say('--limit must be a whole number of at least 1');
      return 2;
    }
    const { user, status } = values;
    const found = await sessions.list({
      ...(typeof user === 'string' && { userId: user }),
      ...(typeof status === 'string' && { status }),
      limit,
    });
    const shown = values['open'] ? found.filter((session) => !isEnded(session.status)) : found;
    if (values['json']) terminal.out(JSON.stringify(shown, null, 2));
    else if (shown.length === 0) terminal.say('There are no sessions');
    else for (const session of shown) terminal.out(lineOf(session));
    return 0;
  },
};

function lineOf({ id, uri, status, reason, stepsDone, userId, updatedAt }: SessionSummary): string {
  const why = reason && reason !== status ? ` (${reason})` : '';
  return `${id}  ${updatedAt.slice(0, 19).replace('T', ' ')}  ${status}${why}  ${stepsDone} steps  ${userId}  ${uri}`;
}

export const sessionTrace: Command<FlowmindServices> = {
  name: 'session trace',
  summary: 'Show what a session did, step by step',
  usage: '<session id> [--json]',
  options: { json: { type: 'boolean', description: 'Print as JSON' } },

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

export const sessionCancel: Command<FlowmindServices> = {
  name: 'session cancel',
  summary: 'End a session; a running one stops before its next step',
  usage: '<session id>',
  options: {},

  async run({ positionals }, terminal, { sessions }) {
    const [id] = positionals;
    if (id === undefined) {
      terminal.say(`Which session? "${terminal.program} session list --open" shows the open ones`);
      return 2;
    }
    const session = await sessions.cancel(id);
    if (!session) {
      terminal.say(`There is no session ${id}`);
      return 1;
    }
    terminal.out(session.status === 'cancelled' ? `${id} is cancelled` : `${id} had ended before: ${session.status}`);
    return 0;
  },
};
