import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

const schema = z.strictObject({
  config: z.string().optional().describe('Path of flowrag.config.json; the one in the workspace when not given'),
  data: z.string().optional().describe('Data directory of the index; wins over flowrag.config.json'),
  docs: z.string().optional().describe('Documents directory; wins over flowrag.config.json'),
});

/** Where the toolset finds its own configuration; everything else is in flowrag.config.json. */
export const flowragSettings: Settings<typeof schema> = {
  schema,
  environment: {
    config: 'MILLRACE_FLOWRAG_CONFIG',
    data: 'MILLRACE_FLOWRAG_DATA',
    docs: 'MILLRACE_FLOWRAG_DOCS',
  },
};
