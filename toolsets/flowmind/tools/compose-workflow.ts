import { composeInput, composeResult } from '../schema.ts';
import { tool } from '../tool.ts';

export const composeWorkflow = tool({
  name: 'compose_workflow',
  description: `Compose a custom workflow from multiple contexts. Use for complex multi-domain scenarios.
Run it with next_action.`,
  said: ['combine these workflows into one', 'build a workflow out of several contexts', 'chain the review and the release workflow'],
  access: 'write',
  annotations: { title: 'Compose a workflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: composeInput,
  output: composeResult,
  level: 'advanced',

  run(input, { services, user }) {
    return services.composer.compose(input, user.id);
  },
});
