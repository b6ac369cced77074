import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

const schema = z.strictObject({
  config: z.string().optional().describe('Path of flowrag.config.json; the one in the workspace when not given'),
  data: z.string().optional().describe('Data directory of the index; wins over flowrag.config.json'),
  docs: z.string().optional().describe('Documents directory; wins over flowrag.config.json'),
  geminiApiKey: z.string().optional(),
  awsRegion: z.string().optional(),
  anthropicApiKey: z.string().optional(),
  openaiApiKey: z.string().optional(),
  openaiBaseUrl: z.string().optional(),
});

/** Where the toolset finds its own configuration; all else stands in flowrag.config.json. */
export const flowragSettings: Settings<typeof schema> = {
  schema,
  environment: {
    config: 'MILLRACE_FLOWRAG_CONFIG',
    data: 'MILLRACE_FLOWRAG_DATA',
    docs: 'MILLRACE_FLOWRAG_DOCS',
    geminiApiKey: 'GEMINI_API_KEY',
    awsRegion: 'AWS_REGION',
    anthropicApiKey: 'ANTHROPIC_API_KEY',
    openaiApiKey: 'OPENAI_API_KEY',
    openaiBaseUrl: 'OPENAI_BASE_URL',
  },
  secrets: ['geminiApiKey', 'anthropicApiKey', 'openaiApiKey'],
};
