import type { JsonSchema } from '@millrace/kernel';
import { countTokens } from 'gpt-tokenizer';
import type { TestMillrace } from './millrace.ts';
import { LAUNCHER } from './package.ts';
import { cleanEnvironment, modernMeta, StdioProcess, temporaryFolder } from './process.ts';

export interface ListedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
}

export interface ListingRow {
  tool: string;
  /** Of its entry in tools/list. */
  bytes: number;
  /** Of what a model sees: name, description and input schema. */
  tokens: number;
}

/** Waits until FlowMind can find everything by its meaning. */
export async function indexed({ catalog }: Pick<TestMillrace, 'catalog'>): Promise<void> {
  await Promise.all(catalog.toolsets.map((toolset) => toolset.assets?.()));
}

/** The tools as tools/list of the installed package has them. */
export async function listedTools(): Promise<ListedTool[]> {
  using folder = temporaryFolder();
  const server = new StdioProcess([LAUNCHER], cleanEnvironment(folder.path));
  const { result = {} } = await server.request('tools/list', { _meta: modernMeta() });
  await server.close();
  return result.tools as ListedTool[];
}

export function measured(tools: readonly ListedTool[]): ListingRow[] {
  return tools.map((tool) => ({
    tool: tool.name,
    bytes: Buffer.byteLength(JSON.stringify(tool)),
    tokens: countTokens(JSON.stringify({ name: tool.name, description: tool.description, inputSchema: tool.inputSchema })),
  }));
}
