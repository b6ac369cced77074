import type { Workflow } from '../../toolsets/n8n/document/workflow/model.ts';
import type { RunResult } from '../../toolsets/n8n/engine/engine.ts';
import type { TestN8n } from '../harness/n8n.ts';

let runs = 0;

/** Runs a workflow with test_workflow. The reply is shortened, so the result is read from the run that the server stored. */
export async function runWorkflow(n8n: TestN8n, workflow: Workflow, parameters: Record<string, unknown> = {}): Promise<RunResult> {
  const file = `run-${runs++}.json`;
  n8n.write(file, { ...workflow, id: file });
  const { executionId } = await n8n.done('test_workflow', { workflowId: file, ...parameters });
  const query = n8n.storage.store.db.selectFrom('n8n_runs').select('result').where('execution_id', '=', executionId);
  return JSON.parse((await query.executeTakeFirstOrThrow()).result) as RunResult;
}
