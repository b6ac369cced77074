import type { Command } from '@millrace/kernel';
import { isEnded } from '../execution/view.ts';
import type { SessionSummary } from '../store/session-store.ts';
import type { FlowmindServices } from '../tool.ts';

const LIMIT = 50;

export const sessionList: Command<FlowmindServices> = {
  name: 'session list',
  summary: 'Show the sessions of workflows, the latest first',
  usage: '[--user <id>] [--status <status>] [--open] [--limit <n>] [--json]',
  options: {
    user: { type: 'string', description: 'Only those of this user' },
    status: { type: 'string', description: 'Only those with this status' },
    open: { type: 'boolean', description: 'Only those that have not ended' },
    limit: { type: 'string', description: `At most so many (${LIMIT})` },
    json: { type: 'boolean', description: 'As JSON' },
  },

  async run({ values }, terminal, { sessions }) {
    const limit = Number(values['limit'] ?? LIMIT);
    if (!Number.isInteger(limit) || limit < 1) {
      terminal.say('--limit takes a number from 1 on');
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
