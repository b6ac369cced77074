import { expect, test } from 'vitest';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, items, link, node, output, setField, start } from '../../../test/harness/n8n-workflows.ts';
import type { Workflow } from '../document/workflow/model.ts';
import { testEngine } from '../testing/engine.ts';

const home = sharedPackHome();
const run = testEngine(home);

const JOIN = 'SELECT input1.id, input1.side AS a, input2.side AS b FROM input1 JOIN input2 ON input1.id = input2.id ORDER BY id DESC';

/** Two branches that these queries join, each in a Merge of its own; a failing one continues. */
function joined(merges: Record<string, { query: string; version: number }>): Workflow {
  const workflow = chain(start, setField('Left', 'side', 'left'));
  workflow.nodes.push(setField('Right', 'side', 'right'));
  link(workflow, 'Start', 'Right');
  for (const [name, { query, version }] of Object.entries(merges)) {
    const parameters = { mode: 'combineBySql', query, options: {} };
    workflow.nodes.push(node(name, 'merge', version, parameters, { onError: 'continueRegularOutput' }));
    link(workflow, 'Left', name);
    link(workflow, 'Right', name, 0, 1);
  }
  return workflow;
}

test.skipIf(!home)('Merge by SQL joins its inputs, says what is wrong with a query, and reaches no file', async () => {
  const merges = {
    oldest: { query: JOIN, version: 3 },
    newest: { query: JOIN, version: 3.2 },
    wrong: { query: 'SELEC nothing', version: 3.2 },
    file: { query: "SELECT * FROM TXT('/etc/passwd')", version: 3.2 },
  };
  const result = await run(joined(merges), items({ id: 1 }, { id: 2 }));
  for (const name of ['oldest', 'newest']) {
    expect(output(result, name)).toEqual([
      { id: 2, a: 'left', b: 'right' },
      { id: 1, a: 'left', b: 'right' },
    ]);
  }
  const failed = (name: string) => result.runs.find((one) => one.node === name)?.error;
  expect(failed('wrong')).toMatchObject({ message: 'Issue while executing query' });
  expect(failed('file')).toMatchObject({ description: expect.stringContaining('access is disabled') });
});
