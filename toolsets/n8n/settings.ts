import type { Settings } from '@millrace/kernel';
import { z } from 'zod';

export const n8nSettings = {
  schema: z.strictObject({
    roots: z
      .array(z.string().min(1))
      .min(1)
      .default(['workflows'])
      .describe('Folders that hold workflow files, relative to the workspace; new workflows go into the first'),
    apiUrl: z.string().optional().describe('The address of an n8n instance to deploy to, such as http://localhost:5678'),
    apiKey: z.string().optional().describe("A key of that instance's public API"),
    email: z
      .string()
      .optional()
      .describe('Who signs in there to read its list of nodes, which serves where no engine is installed, and to run tests by hand'),
    password: z.string().optional().describe('The password of that account'),
    mcpToken: z.string().optional().describe("The access token of that instance's own MCP server, which then runs tests there"),
    version: z
      .string()
      .optional()
      .describe('The version of n8n to use among those installed; the one that Millrace is made for when not set'),
    engineProcesses: z.int().min(1).max(16).default(2).describe('How many workflows may run at once in the embedded engine'),
    unconfined: z
      .boolean()
      .default(false)
      .describe('Whether workflows run on a server for several people even where the system cannot confine them'),
    engineMemory: z.int().min(128).max(16_384).default(512).describe('Megabytes of memory that a run may use'),
  }),
  environment: {
    roots: 'MILLRACE_WORKFLOWS',
    apiUrl: 'N8N_API_URL',
    apiKey: 'N8N_API_KEY',
    email: 'N8N_EMAIL',
    password: 'N8N_PASSWORD',
    mcpToken: 'N8N_MCP_TOKEN',
    version: 'MILLRACE_N8N_VERSION',
    engineProcesses: 'MILLRACE_N8N_PROCESSES',
    unconfined: 'MILLRACE_N8N_UNCONFINED',
    engineMemory: 'MILLRACE_N8N_MEMORY',
  },
  secrets: ['apiKey', 'password', 'mcpToken'],
} satisfies Settings;
