import { helpInput, helpResult } from '../help/help.ts';
import { tool } from '../tool.ts';

export const getHelp = tool({
  name: 'get_help',
  description: 'Get help with FlowMind usage, error resolution, or best practices.',
  said: ['how does this work', 'explain the error I got', 'what are best practices for workflows'],
  access: 'read',
  annotations: { title: 'Get help', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: helpInput,
  output: helpResult,

  run(input, { services, signal }) {
    return services.help.answer(input, signal);
  },
});
