import { z } from 'zod';
import { checkSaved, flowiseFindings, refuseErrors, withoutRepeats } from '../flow/prepare.ts';
import { chatflowId, updatedChatflow, withWarnings } from '../schema.ts';
import { tool } from '../services.ts';

export const deployChatflow = tool({
  name: 'deploy_chatflow',
  description: 'Toggle chatflow deployment status (convenience wrapper for update). A flow that cannot run is refused.',
  said: ['deploy the chatflow so that people can use it', 'put our chatbot live', 'undeploy the test chatflow', 'take this flow offline'],
  access: 'write',
  annotations: { title: 'Deploy chatflow', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Chatflow to deploy/undeploy'),
    deployed: z.boolean().describe('true to deploy, false to undeploy'),
  }),
  output: updatedChatflow.omit({ type: true }).extend({
    notes: z.array(z.string()).optional(),
  }),

  async run({ chatflow_id, deployed }, { services, signal }) {
    const { flowise, nodes } = services;
    const before = await flowise.get(chatflow_id, { signal });
    const findings = deployed
      ? withoutRepeats(
          await checkSaved(before.flowData, before.type, nodes),
          await flowiseFindings(flowise, chatflow_id, before.type, signal),
        )
      : [];
    refuseErrors(findings, 'deployed');
    const after = before.deployed === deployed ? before : await flowise.update(chatflow_id, { deployed }, { signal });
    const isPublic = deployed && after.apiKeyId === undefined;
    return {
      id: after.id,
      name: after.name,
      deployed: after.deployed,
      ...(after.updatedDate && { updatedDate: after.updatedDate }),
      ...withWarnings(findings),
      ...(isPublic && { notes: ['Everybody who reaches this Flowise can run the flow: bind it to an API key there to prevent that'] }),
    };
  },
});
