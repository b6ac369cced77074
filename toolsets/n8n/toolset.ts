import type { Toolset } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { installedPacks } from './catalogue/pack/installed.ts';
import { n8nChecks } from './doctor.ts';
import { History } from './document/files/history.ts';
import { Roots } from './document/files/roots.ts';
import { Workflows } from './document/files/workflows.ts';
import { workflowContexts } from './document/workflow-contexts.ts';
import { callableFiles } from './engine/calls.ts';
import type { N8nTables } from './migrations.ts';
import { Deployments } from './remote/deployments.ts';
import { Links } from './remote/links.ts';
import { instanceClient, openPack, type Pack, type PackOptions, type Services } from './services.ts';
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

export interface N8nOptions extends PackOptions {
  /** What the roots are relative to. */
  workspace: string;
  store: Store<N8nTables>;
  /** In place of the pack that is installed in the home. */
  pack?: Pack;
}

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
  const { close, ...pack } = options.pack ?? openPack(options);
  const client = instanceClient(settings);
  const links = new Links(store, clock);
  const deployments = new Deployments({ workflows, links, validator: pack.validator, client });
  const callable = callableFiles(
    (named) => workflows.load(named),
    async (remoteId) => (client ? (await links.ofRemote(remoteId, client.url))?.path : undefined),
  );
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
    services: { ...pack, workflows, deployments, callable },
    contexts: () => workflowContexts(workflows),
    checks: () =>
      n8nChecks({
        installed: () => installedPacks(options.home),
        version: settings.version,
        refusesUnconfined: async () => !settings.unconfined && (await options.shared?.()) === true,
        instance: { url: settings.apiUrl, client },
        async workflowFiles() {
          await workflows.listing.refresh();
          return workflows.listing.files().length;
        },
      }),
    close,
  };
}
