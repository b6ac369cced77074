import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

const NOT_AN_OBJECT = 'it must be a JSON object, such as {"modelName":"gpt-4o-mini"}';

const jsonObject = z.string().transform((text, context) => {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: NOT_AN_OBJECT });
    return z.NEVER;
  }
});

const schema = z.object({
  apiUrl: z.string().optional().describe('The address of Flowise, such as http://localhost:3000'),
  apiKey: z.string().optional().describe('An API key of Flowise; needed unless Flowise asks for none'),
  requireDeployed: z.boolean().default(true).describe('Run only chatflows that are marked as deployed'),
  timeout: z.number().min(1).max(3600).default(55).describe('Seconds that a prediction or a generation may take'),
  chatModel: z
    .string()
    .optional()
    .describe('The chat model node that generate_agentflow_v2 uses, such as chatOpenAI; found by itself when unset'),
  credential: z.string().optional().describe("The id or name of that model's credential in Flowise; found by itself when unset"),
  modelInputs: z
    .union([z.record(z.string(), z.unknown()), jsonObject], { error: NOT_AN_OBJECT })
    .optional()
    .describe('Further settings of that model, such as {"modelName":"gpt-4o-mini"}'),
});

export type FlowiseSettings = z.output<typeof schema>;

export const flowiseSettings: Settings<typeof schema> = {
  schema,
  environment: {
    apiUrl: 'FLOWISE_API_URL',
    apiKey: 'FLOWISE_API_KEY',
    requireDeployed: 'FLOWISE_REQUIRE_DEPLOYED',
    timeout: 'FLOWISE_TIMEOUT',
    chatModel: 'FLOWISE_CHAT_MODEL',
    credential: 'FLOWISE_CREDENTIAL',
    modelInputs: 'FLOWISE_MODEL_INPUTS',
  },
  secrets: ['apiKey'],
};
