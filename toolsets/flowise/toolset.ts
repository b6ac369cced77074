import type { Clock, Log, Tool, Toolset } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { Connection } from './client/connection.ts';
import { Flowise } from './client/flowise.ts';
import { keepSecret } from './client/secret.ts';
import { ChatflowContexts } from './contexts.ts';
import { flowiseChecks } from './doctor.ts';
import type { FlowiseTables } from './migrations.ts';
import { NodeCatalogue } from './nodes/catalogue.ts';
import { Runs } from './prediction/runs.ts';
import type { FlowiseServices } from './services.ts';
import type { FlowiseSettings } from './settings.ts';
import { Backups } from './store/backups.ts';
import { createChatflow } from './tools/create-chatflow.ts';
import { deleteChatflow } from './tools/delete-chatflow.ts';
import { deployChatflow } from './tools/deploy-chatflow.ts';
import { generateAgentflowV2 } from './tools/generate-agentflow-v2.ts';
import { getChatflow } from './tools/get-chatflow.ts';
import { getPredictionResult } from './tools/get-prediction-result.ts';
import { listChatflows } from './tools/list-chatflows.ts';
import { restoreChatflow } from './tools/restore-chatflow.ts';
import { runPrediction } from './tools/run-prediction.ts';
import { updateChatflow } from './tools/update-chatflow.ts';
import { flowiseWire } from './wire.ts';

export interface FlowiseToolsetOptions {
  settings: FlowiseSettings;
  store: Store<FlowiseTables>;
  clock: Clock;
  log: Log;
}

/** For reading, writing and checking chatflows; runs and generations have the configured time. */
const REQUEST_TIMEOUT_MS = 25_000;
/** The tool's own time-out says where the answer will be, so the deadline comes after it. */
const GRACE_MS = 5_000;

const INSTRUCTIONS = [
  'Flowise: list_chatflows finds a chatflow and run_prediction asks it; keep its sessionId to continue a conversation.',
  'To build one, write minimal flow_data (nodes {id, name, inputs}, edges {source, target}) for create_chatflow, or start from generate_agentflow_v2; fix what the warnings name, then deploy_chatflow.',
  'To change one, read it with get_chatflow format "thin" and send it back with update_chatflow and expected_updated_date.',
].join(' ');

export function flowiseToolset({ settings, store, clock, log }: FlowiseToolsetOptions): Toolset<FlowiseServices> {
  const { apiUrl, apiKey, requireDeployed } = settings;
  const timeoutMs = settings.timeout * 1000;
  const connection = new Connection({ url: apiUrl, key: apiKey, clock });
  const flowise = new Flowise(connection, { timeoutMs: Math.min(REQUEST_TIMEOUT_MS, timeoutMs) });
  const contexts = new ChatflowContexts({ flowise, clock, log, requireDeployed });
  const patient = <One extends Tool<FlowiseServices>>(tool: One): One => ({
    ...tool,
    deadlineMs: timeoutMs + REQUEST_TIMEOUT_MS + GRACE_MS,
  });
  return {
    name: 'flowise',
    title: 'Flowise',
    instructions: INSTRUCTIONS,
    tools: [
      listChatflows,
      getChatflow,
      createChatflow,
      updateChatflow,
      deleteChatflow,
      patient(runPrediction),
      deployChatflow,
      patient(generateAgentflowV2),
      restoreChatflow,
      getPredictionResult,
    ],
    wire: flowiseWire,
    services: {
      flowise,
      nodes: new NodeCatalogue(flowise, clock),
      backups: new Backups({ store, clock, instance: apiUrl ?? '' }),
      runs: new Runs(flowise),
      requireDeployed,
      timeoutMs,
      model: { chatModel: settings.chatModel, credential: settings.credential, inputs: settings.modelInputs },
    },
    steps: [keepSecret(apiKey)],
    contexts: () => (apiUrl ? contexts.list() : []),
    checks: () => flowiseChecks({ flowise, url: apiUrl, key: apiKey, requireDeployed }),
    async close() {
      contexts.close();
      await flowise.close();
    },
  };
}
