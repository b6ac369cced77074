import { listContexts, listInput, listResult } from '../contexts/listing.ts';
import { tool } from '../tool.ts';

export const listAvailableContexts = tool({
  name: 'list_available_contexts',
  description: 'List available contexts with filtering. Use to explore what workflows, agents, and patterns are available.',
  said: ['which workflows are there', 'list everything I can run', 'show the agents for creative work'],
  access: 'read',
  annotations: { title: 'List contexts', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: listInput,
  output: listResult,
  level: 'advanced',

  async run(input, { services: { registry, teacher }, user }) {
    return listContexts(input, {
      contexts: await registry.all(user.id),
      popularity: await teacher.popularity(),
      locked: async (context) => (await teacher.refusal(context, user)) !== undefined,
    });
  },
});
