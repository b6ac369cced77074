import type { Command } from '@millrace/kernel';

/** For editors: `context schema > context.schema.json`. */
export const contextSchema: Command = {
  name: 'context schema',
  summary: 'Print the JSON schema of context files, for editors',
  usage: '',
  options: {},

  async run(_input, terminal) {
    const { contextJsonSchema } = await import('../language/schema.ts');
    terminal.out(JSON.stringify(contextJsonSchema(), null, 2));
    return 0;
  },
};
