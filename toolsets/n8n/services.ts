import type { Workflows } from './files/workflows.ts';
import type { CallableWorkflows, Engine, NodeCatalogue, NodeFinder, RunHistory, Validator } from './ports.ts';
import type { Deployments } from './remote/deployments.ts';
import type { Workflow } from './workflow/model.ts';

/** A workflow file as it was read. */
export interface LoadedWorkflow {
  /** What other calls name it by: its id, or its path where it has none. */
  workflowId: string;
  /** The real, absolute path. */
  path: string;
  workflow: Workflow;
}

/** What the tools of this toolset work with. */
export interface Services {
  workflows: Workflows;
  catalogue: NodeCatalogue;
  validator: Validator;
  engine: Engine;
  search: NodeFinder;
  /** The runs that test_workflow made. */
  runs: RunHistory;
  deployments: Deployments;
  /** What a workflow under test may call. */
  callable: CallableWorkflows;
}
