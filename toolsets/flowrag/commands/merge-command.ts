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
      if (!alias?.trim() || !name?.trim()) throw new Failure('invalid_input', `Which names? ${terminal.program} merge <name> <into>`);
      const unknown = await services.merge({ alias, name });
      terminal.out([`"${alias}" now means "${name}".`, ...unknownLines(unknown, alias)].join('\n'));
      return 0;
    });
  },
};

function unknownLines(unknown: readonly string[], alias: string): string[] {
  if (unknown.length === 0) return [];
  const nobody = `No indexed document mentions ${unknown.map((name) => `"${name}"`).join(' or ')}`;
  return [
    unknown.includes(alias) ? `${nobody} yet: the merge takes effect when one does.` : `${nobody}: "${alias}" is shown under that name.`,
  ];
}
