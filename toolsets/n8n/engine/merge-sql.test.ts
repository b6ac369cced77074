import { describe, expect, test } from 'vitest';
import { chain, items, link, node, output, setField, start, testEngine } from '../../../test/harness/n8n-engine.ts';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import type { Workflow } from '../workflow/model.ts';

const home = sharedPackHome();

/** Two branches that a Merge joins by a query. */
function joined(query: string, typeVersion = 3.2): Workflow {
  const workflow = chain(start, setField('Left', 'side', 'left'));
  workflow.nodes.push(
    setField('Right', 'side', 'right'),
    node('Merge', 'merge', typeVersion, { mode: 'combineBySql', query, options: {} }),
  );
  link(workflow, 'Start', 'Right');
  link(workflow, 'Left', 'Merge');
  link(workflow, 'Right', 'Merge', 0, 1);
  return workflow;
}

describe.skipIf(!home)('Merge by SQL', () => {
  const run = testEngine(home);

  test('a query joins the inputs, in every version of the node', async () => {
    for (const version of [3, 3.1, 3.2]) {
      const result = await run(
        joined(
          'SELECT input1.id, input1.side AS a, input2.side AS b FROM input1 JOIN input2 ON input1.id = input2.id ORDER BY id DESC',
          version,
        ),
        items({ id: 1 }, { id: 2 }),
      );
      expect(output(result, 'Merge')).toEqual([
        { id: 2, a: 'left', b: 'right' },
        { id: 1, a: 'left', b: 'right' },
      ]);
    }
  });

  test('a query that is wrong fails the node, and files are out of reach', async () => {
    expect(await run(joined('SELEC nothing'), items({ id: 1 }))).toMatchObject({ status: 'error', error: { node: 'Merge' } });
    expect(await run(joined("SELECT * FROM TXT('/etc/passwd')"), items({ id: 1 }))).toMatchObject({
      status: 'error',
      error: { node: 'Merge', message: 'Issue while executing query', description: expect.stringContaining('access is disabled') },
    });
  });
});
