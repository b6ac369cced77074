import type { N8nWorkflow } from '../n8n-packages.ts';
import { type CodeOutcome, type CodeTask, isHelper, type WorkflowOrder } from '../protocol.ts';
import type { Patience } from './node-types.ts';

const NOWHERE = 'http://localhost.invalid';

export interface AdditionalDataOptions {
  order: WorkflowOrder;
  executionId: string;
  hooks: unknown;
  /** What the run has waited already. */
  patience: Patience;
  log(line: string): void;
  runCode(task: CodeTask, helper: Helper): Promise<CodeOutcome>;
  call(info: CallInfo, options: CallOptions): Promise<CallResult>;
  /** The data of a called workflow's execution, for as long as the run lasts. */
  executionData(executionId: string): unknown;
}

export type Helper = (name: string, parameters: unknown[]) => Promise<unknown>;

/** What n8n's nodes say about the workflow that they call. */
export interface CallInfo {
  id?: unknown;
  code?: unknown;
}

export interface CallOptions {
  inputData?: Record<string, unknown>[];
  doNotWaitToFinish?: boolean;
  parentExecution?: unknown;
  parentWorkflowSettings?: Record<string, unknown>;
  node?: { name?: string; parameters?: Record<string, unknown> };
}

export interface CallResult {
  executionId: string;
  data: (Record<string, unknown>[] | null)[];
}

/** What n8n's server hands to its engine. There are no credentials, variables, secrets or addresses of ours in it. */
export function additionalData(options: AdditionalDataOptions): Record<string, unknown> {
  const { order, executionId, hooks, patience, log } = options;
  const addresses = [
    'restApiUrl instanceBaseUrl formWaitingBaseUrl formBaseUrl formTestBaseUrl webhookBaseUrl webhookWaitingBaseUrl',
    'webhookTestBaseUrl mcpBaseUrl mcpTestBaseUrl',
  ].flatMap((line) => line.split(' '));
  return {
    ...Object.fromEntries(addresses.map((name) => [name, `${NOWHERE}/${name}`])),
    executionId,
    workflowId: order.workflow.id,
    currentNodeExecutionIndex: 0,
    hooks,
    patience,
    variables: {},
    userId: 'millrace',
    workflowSettings: order.workflow.settings,
    credentialsHelper: NO_CREDENTIALS,
    setExecutionStatus() {},
    sendDataToUI: (_type: string, data: unknown) => logUi(data, log),
    logAiEvent() {},
    logHitlResponse() {},
    externalSecretsProxy: {
      hasProvider: () => false,
      hasSecret: () => false,
      listProviders: () => [],
      listSecrets: () => [],
      getSecret: () => undefined,
    },
    getRunExecutionData: async (id: string) => options.executionData(id),
    executeWorkflow: (info: CallInfo, _parent: unknown, call: CallOptions) => options.call(info, call),
    getRunnerStatus: (kind: string) =>
      kind === 'javascript' ? { available: true } : { available: false, reason: 'the embedded engine runs JavaScript only' },
    async startRunnerTask(...parameters: unknown[]) {
      return startTask(parameters as TaskParameters, options);
    },
  };
}

const NO_CREDENTIALS = {
  getParentTypes: () => [],
  async getDecrypted() {
    throw new Error('The embedded engine has no credentials');
  },
  async authenticate(_credentials: unknown, _type: string, options: unknown) {
    return options;
  },
  async preAuthentication() {},
  async runPreAuthentication() {},
  getCredentialsProperties: () => [],
  async updateCredentials() {},
  async getCredentials() {
    throw new Error('The embedded engine has no credentials');
  },
};

function logUi(data: unknown, log: (line: string) => void): void {
  const { messages, source } = (data ?? {}) as { messages?: unknown; source?: string };
  const said = Array.isArray(messages) ? messages.filter((part) => typeof part === 'string') : [];
  const speaker = /^\[Node: "(.*)"\]$/.exec(source ?? '')?.[1] ?? source ?? 'log';
  if (said.length > 0) log(`${speaker}: ${said.join(' ')}`);
}

type TaskParameters = [
  additionalData: unknown,
  jobType: string,
  settings: {
    code: string;
    nodeMode: CodeTask['nodeMode'];
    continueOnFail?: boolean;
    chunk?: CodeTask['chunk'];
    additionalProperties?: Record<string, unknown>;
  },
  executeFunctions: { helpers: Record<string, (...parameters: unknown[]) => unknown> },
  inputData: unknown,
  node: Record<string, unknown>,
  workflow: N8nWorkflow,
  runExecutionData: unknown,
  runIndex: number,
  itemIndex: number,
  activeNodeName: string,
  connectionInputData: CodeTask['items'],
  siblingParameters: unknown,
  mode: string,
  envProviderState: unknown,
  executeData: unknown,
];

async function startTask(parameters: TaskParameters, { order, executionId, log, runCode }: AdditionalDataOptions): Promise<unknown> {
  const [, jobType, settings, { helpers }, , node, workflow, runExecutionData, runIndex, itemIndex, , items, , mode, , executeData] =
    parameters;
  if (jobType !== 'javascript') return { ok: false, error: { message: `The embedded engine cannot run ${jobType}` } };
  const task: CodeTask = {
    code: settings.code,
    nodeMode: settings.nodeMode,
    continueOnFail: settings.continueOnFail === true,
    ...(settings.chunk && { chunk: settings.chunk }),
    additionalProperties: settings.additionalProperties ?? {},
    workflow: { ...order.workflow, nodes: Object.values(workflow.nodes), staticData: { ...workflow.staticData } },
    node,
    runExecutionData,
    runIndex,
    itemIndex,
    items,
    mode,
    executeData,
    executionId,
    timezone: workflow.timezone,
  };
  const outcome = await runCode(task, async (name, asked) => {
    if (!isHelper(name)) throw new Error(`The function "helpers.${name}" is not supported in the Code Node`);
    return helpers[name]?.(...asked);
  });
  for (const line of outcome.logs) log(`${String(node['name'])}: ${line}`);
  if (!outcome.ok) return { ok: false, error: outcome.error };
  if (outcome.customData) Object.assign(metadataOf(runExecutionData), outcome.customData);
  if (outcome.staticData) Object.assign(workflow.staticData, outcome.staticData);
  return { ok: true, result: outcome.result };
}

/** A script that knows of no workflow. */
export function plainScript(code: string, globals: Record<string, unknown>): CodeTask {
  return {
    code,
    nodeMode: 'runCode',
    continueOnFail: false,
    additionalProperties: globals,
    workflow: { id: '', name: '', nodes: [], connections: {}, settings: {} },
    node: { name: '' },
    runExecutionData: null,
    runIndex: 0,
    itemIndex: 0,
    items: [],
    mode: 'manual',
    executeData: null,
    executionId: '',
    timezone: 'UTC',
  };
}

/** What a workflow notes about its execution: `$execution.customData`. */
function metadataOf(runExecutionData: unknown): Record<string, string> {
  const { resultData } = runExecutionData as { resultData: { metadata?: Record<string, string> } };
  resultData.metadata ??= {};
  return resultData.metadata;
}
