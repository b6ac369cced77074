import type { Clock, Log, Settings, Toolset } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { z } from 'zod';
import { testCommand } from './commands/test.ts';
import { workflowContexts } from './contexts/workflow-contexts.ts';
import { n8nChecks } from './doctor.ts';
import { CallableFiles } from './engine/callable-files.ts';
import { History } from './files/history.ts';
import { Roots } from './files/roots.ts';
import { Workflows } from './files/workflows.ts';
import { openPack, type Pack, packStatus } from './pack/index.ts';
import { InstanceClient } from './remote/client.ts';
import { Deployments } from './remote/deployments.ts';
import { Links } from './remote/links.ts';
import type { Services } from './services.ts';
import type { N8nTables } from './store/tables.ts';
import { connectionCreate } from './tools/connection-create.ts';
import { connectionRemove } from './tools/connection-remove.ts';
import { nodeAdd } from './tools/node-add.ts';
import { nodeRemove } from './tools/node-remove.ts';
import { nodeReplace } from './tools/node-replace.ts';
import { nodeSearch } from './tools/node-search.ts';
import { nodeUpdate } from './tools/node-update.ts';
import { testWorkflow } from './tools/test-workflow.ts';
import { workflowActivate } from './tools/workflow-activate.ts';
import { workflowCreate } from './tools/workflow-create.ts';
import { workflowDeploy } from './tools/workflow-deploy.ts';
import { workflowDiagram } from './tools/workflow-diagram.ts';
import { workflowExecutions } from './tools/workflow-executions.ts';
import { workflowList } from './tools/workflow-list.ts';
import { workflowLoad } from './tools/workflow-load.ts';
import { workflowPull } from './tools/workflow-pull.ts';
import { workflowRepair } from './tools/workflow-repair.ts';
import { workflowSave } from './tools/workflow-save.ts';
import { workflowUndo } from './tools/workflow-undo.ts';
import { workflowValidate } from './tools/workflow-validate.ts';
import { n8nWire } from './wire.ts';

export { n8nMigrations } from './store/migrations.ts';
export type { N8nTables } from './store/tables.ts';

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
    engineMemory: 'MILLRACE_N8N_MEMORY',
  },
  secrets: ['apiKey', 'password', 'mcpToken'],
} satisfies Settings;

export interface N8nOptions {
  /** Where installed packs are. */
  home: string;
  /** What the roots are relative to. */
  workspace: string;
  settings: z.output<typeof n8nSettings.schema>;
  store: Store<N8nTables>;
  clock: Clock;
  log: Log;
  /** In place of the pack that is installed in the home. */
  pack?: Pack;
}

/** What the command line can do with workflows. */
export const n8nCommands = [testCommand];

const INSTRUCTIONS = `n8n workflows are JSON files. Build one with workflow_create, node_search, node_add and connection_create, check it with workflow_validate, run it with test_workflow, and bring it to an n8n instance with workflow_deploy. A workflow goes by its id, name or path, a node by its id or name, an output by what it is called ('true', 'error', 'ai_tool'). workflow_undo reverts any edit.`;

export function n8nToolset(options: N8nOptions): Toolset<Services> {
  const { workspace, settings, store, clock } = options;
  const roots = new Roots(workspace, settings.roots);
  const workflows = new Workflows({
    roots,
    history: new History(store, clock),
    // Replicas on several machines share a volume, where a lock file is not enough.
    ...(store.dialect === 'postgres' && { exclusive: (name, work) => store.withLock(name, work) }),
  });
  const pack = options.pack ?? installedPack(options);
  const { catalogue, validator, engine, search, runs } = pack;
  const client =
    settings.apiUrl !== undefined && settings.apiKey !== undefined
      ? new InstanceClient({ url: settings.apiUrl, apiKey: settings.apiKey })
      : undefined;
  const links = new Links(store, clock);
  const deployments = new Deployments({ workflows, links, validator, client });
  const callable = new CallableFiles({
    load: (named) => workflows.load(named),
    deployedAs: async (remoteId) => (client ? (await links.ofRemote(remoteId, client.url))?.path : undefined),
  });
  return {
    name: 'n8n',
    title: 'n8n workflows',
    instructions: INSTRUCTIONS,
    tools: [
      nodeSearch,
      nodeAdd,
      nodeReplace,
      workflowCreate,
      workflowSave,
      workflowLoad,
      workflowList,
      connectionCreate,
      testWorkflow,
      workflowValidate,
      nodeUpdate,
      nodeRemove,
      connectionRemove,
      workflowRepair,
      workflowUndo,
      workflowDiagram,
      workflowDeploy,
      workflowActivate,
      workflowPull,
      workflowExecutions,
    ],
    wire: n8nWire,
    services: { workflows, catalogue, validator, engine, search, runs, deployments, callable },
    contexts: () => workflowContexts(workflows),
    commands: n8nCommands,
    checks: () =>
      n8nChecks({
        installed: async () => (await packStatus(options.home)).installed,
        version: settings.version,
        instance: { url: settings.apiUrl, client },
        async workflowFiles() {
          await workflows.listing.refresh();
          return workflows.listing.files().length;
        },
      }),
    close: () => pack.close(),
  };
}

function installedPack({ home, settings, store, clock, log }: N8nOptions): Pack {
  const { version, apiUrl: url, apiKey, email, password, mcpToken } = settings;
  return openPack({
    home,
    store,
    clock,
    log,
    limits: { processes: settings.engineProcesses, memoryMb: settings.engineMemory },
    ...(version !== undefined && { version }),
    ...(url !== undefined && apiKey !== undefined && { instance: { url, apiKey } }),
    ...(email !== undefined && password !== undefined && { instanceLogin: { email, password } }),
    ...(mcpToken !== undefined && { instanceMcpToken: mcpToken }),
  });
}
