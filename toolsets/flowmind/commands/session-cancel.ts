import type { Command } from '@millrace/kernel';
import type { FlowmindServices } from '../tool.ts';

export const sessionCancel: Command<FlowmindServices> = {
  name: 'session cancel',
  summary: 'End a session; one that is at work stops before its next step',
  usage: '<session id>',
  options: {},

  async run({ positionals }, terminal, { sessions }) {
    const [id] = positionals;
    if (id === undefined) {
      terminal.say(`Which session? "${terminal.program} session list --open" shows those that have not ended`);
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
