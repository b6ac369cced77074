import { onTestFinished } from 'vitest';
import { type Behaviour, ReplayedFlowise } from '../../../toolsets/flowise/testing/replay.ts';
import { openMillrace, type TestMillrace } from '../../harness/millrace.ts';

export const KEY = 'test-key-0123456789abcdef';

export interface FlowiseTools extends TestMillrace {
  flowise: ReplayedFlowise;
}

const VARIABLES = {
  apiUrl: 'FLOWISE_API_URL',
  apiKey: 'FLOWISE_API_KEY',
  requireDeployed: 'FLOWISE_REQUIRE_DEPLOYED',
  timeout: 'FLOWISE_TIMEOUT',
};

type Settings = { [name in keyof typeof VARIABLES]?: string | number | boolean | undefined };

/** The package's tools in front of a replayed Flowise; both end with the test. */
export async function toolsOn(routes: Record<string, Behaviour>, settings: Settings = {}): Promise<FlowiseTools> {
  const flowise = await ReplayedFlowise.start(routes);
  onTestFinished(() => flowise.close());
  return { ...(await toolsAt({ apiUrl: flowise.url, apiKey: KEY, ...settings })), flowise };
}

export async function toolsAt(settings: Settings): Promise<TestMillrace> {
  const set = (Object.keys(settings) as (keyof Settings)[]).filter((name) => settings[name] !== undefined);
  const environment = Object.fromEntries(set.map((name) => [VARIABLES[name], String(settings[name])]));
  const millrace = await openMillrace({ toolsets: ['flowise'], environment });
  onTestFinished(() => millrace.close());
  return millrace;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are compared as literals
export function structured(reply: { structured: unknown }): any {
  return reply.structured;
}

/** A valid call of each of the eight published tools. */
export const EIGHT: Record<string, object> = {
  list_chatflows: {},
  get_chatflow: { chatflow_id: 'x' },
  create_chatflow: { name: 'x', flow_data: '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}' },
  update_chatflow: { chatflow_id: 'x', name: 'y' },
  delete_chatflow: { chatflow_id: 'x' },
  run_prediction: { chatflow_id: 'x', question: 'y' },
  deploy_chatflow: { chatflow_id: 'x', deployed: true },
  generate_agentflow_v2: { description: 'an agent that does something' },
};
