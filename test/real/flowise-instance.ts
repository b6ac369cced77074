import type { RunningFlowise } from '@millrace/flowise/engine/start';
import { startRealFlowise } from '../../scripts/real-flowise.ts';
import { openMillrace, type TestMillrace } from '../harness/millrace.ts';
import { PlainApi } from './flowise-api.ts';
import type { FlowNeeds } from './flowise-flows.ts';
import { type StandInModel, startModel } from './flowise-model.ts';

/** Variables of our server; one that is undefined is not set. */
type Environment = Record<string, string | undefined>;

/** A real Flowise, a stand-in model, and our tools in front of them. */
export interface Instance {
  flowise: RunningFlowise;
  model: StandInModel;
  api: PlainApi;
  needs: FlowNeeds;
  tools: TestMillrace;
  /** Our tools with other settings on the same Flowise. */
  toolsWith(environment: Environment): Promise<TestMillrace>;
  close(): Promise<void>;
}

export async function startInstance(): Promise<Instance> {
  const [flowise, model] = await Promise.all([startRealFlowise(), startModel()]);
  const api = new PlainApi(flowise.url, flowise.apiKey);
  const modelInputs = JSON.stringify({ basepath: model.url });
  const needs = { modelUrl: model.url, credential: await api.credential() };
  const opened: TestMillrace[] = [];
  const toolsWith = async (environment: Environment) => {
    const usual = { FLOWISE_API_URL: flowise.url, FLOWISE_API_KEY: flowise.apiKey, FLOWISE_MODEL_INPUTS: modelInputs };
    const tools = await flowiseTools({ ...usual, ...environment });
    opened.push(tools);
    return tools;
  };
  return {
    flowise,
    model,
    api,
    needs,
    tools: await toolsWith({}),
    toolsWith,
    async close() {
      for (const tools of opened) await tools.close();
      await model.close();
      await flowise.stop();
    },
  };
}

/** The Flowise toolset of the installed package. */
export function flowiseTools(environment: Environment): Promise<TestMillrace> {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return openMillrace({ toolsets: ['flowise'], environment: Object.fromEntries(set) });
}
