import { testCatalog } from '../../harness/catalog.ts';
import { openN8n } from '../../harness/n8n-toolset.ts';

/** A process of its own that adds nodes to one workflow: the other side of the test of parallel edits. */
const [workspace, label, count] = process.argv.slice(2) as [string, string, string];
const { toolset, close } = await openN8n(workspace);
const { call } = testCatalog([toolset]);
for (let index = 0; index < Number(count); index++) {
  const added = await call('node_add', {
    workflowId: 'shared.json',
    nodeType: 'n8n-nodes-base.set',
    parameters: { mode: `${label}-${index}` },
  });
  if (added.isError) {
    process.stderr.write(`${added.text}\n`);
    process.exitCode = 1;
  }
}
await close();
