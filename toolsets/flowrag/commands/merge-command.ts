import { type Command, Failure } from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';
import { PLACES, reporting } from './tool-command.ts';

export const mergeCommand: Command<FlowragServices> = {
  name: 'merge',
  summary: 'Say that two names mean one entity; it stays so through every re-index',
  usage: '<name> <into>',
  options: { ...PLACES },
  async run({ positionals }, terminal, services) {
    return reporting(terminal, async () => {
      const [alias, name] = positionals;
      if (!alias?.trim() || !name?.trim()) throw new Failure('invalid_input', 'Which names? flowrag merge <name> <into>');
      await services.merge({ alias, name });
      terminal.out(`"${alias}" now means "${name}".`);
      return 0;
    });
  },
};
