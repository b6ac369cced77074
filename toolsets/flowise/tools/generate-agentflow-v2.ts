import { z } from 'zod';
import { checkFlow } from '../flow/check.ts';
import { readNode } from '../flow/flow.ts';
import { hydrate } from '../flow/hydrate.ts';
import { thin } from '../flow/thin.ts';
import { chooseChatModel, generatorChoice } from '../generation/chat-model.ts';
import { demandUsable, generatedFlow, injectModel, suggestedDescription, suggestedName } from '../generation/generated.ts';
import { warning, withWarnings } from '../schema.ts';
import { tool } from '../services.ts';

export const generateAgentflowV2 = tool({
  name: 'generate_agentflow_v2',
  description: 'Generate AgentFlow V2 workflow from natural language description. Nothing is saved: give flowData to create_chatflow.',
  said: [
    'generate an agentflow from a description',
    'let flowise design an agent that researches companies',
    'make an agent flow that answers emails',
  ],
  access: 'write',
  annotations: { title: 'Generate agentflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    description: z
      .string()
      .min(10, 'description must have at least 10 characters: say what the agent should do')
      .max(20_000, 'description must have at most 20,000 characters')
      .meta({ maxLength: undefined })
      .describe('Natural language description of desired agent behavior'),
    format: z.enum(['thin', 'full']).default('thin').describe('Form of flowData'),
  }),
  output: z.object({
    flowData: z.string().describe('Generated workflow structure as JSON string'),
    name: z.string().describe('Suggested chatflow name'),
    description: z.string().describe('Generated description'),
    warnings: z.array(warning).optional(),
  }),

  async run({ description, format }, { services, signal, progress }) {
    const { flowise, nodes, timeoutMs } = services;
    const model = await chooseChatModel(services.model, nodes);
    progress(1, 3, `${model.name} designs the flow`);
    const generated = generatedFlow(await flowise.generate(description, generatorChoice(model), { signal, timeoutMs }));
    progress(2, 3, 'The flow is filled in and checked');
    const definitions = await nodes.definitions(generated.nodes.map((node) => readNode(node).name));
    const { flow } = hydrate(injectModel(generated, model, definitions), definitions);
    const findings = checkFlow(flow, 'AGENTFLOW', definitions, await nodes.credentials());
    demandUsable(findings);
    return {
      flowData: JSON.stringify(format === 'thin' ? thin(flow, definitions) : flow),
      name: suggestedName(description),
      description: suggestedDescription(description),
      ...withWarnings(findings),
    };
  },
});
