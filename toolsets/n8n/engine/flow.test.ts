import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, items, link, node, output, setField, start } from '../../../test/harness/n8n-workflows.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { testEngine } from '../testing/engine.ts';
import type { RunResult } from './engine.ts';

const home = sharedPackHome();

const schedule = node('Every day', 'scheduleTrigger', 1.2, { rule: { interval: [{}] } });
const hook = node('Hook', 'webhook', 2, { path: 'x', options: {} });
const stop = node('Stop', 'stopAndError', 1, { errorMessage: 'out of milk' });

function ranNodes(result: RunResult): string[] {
  return result.runs.map((one) => one.node);
}

function withSettings(one: WorkflowNode, settings: Partial<WorkflowNode>): WorkflowNode {
  return { ...one, ...settings };
}

describe.skipIf(!home)('the flow of a run', () => {
  const run = testEngine(home, { processes: 1 });

  test('short waits are waited for, long ones passed over and said', async () => {
    const wait = (name: string, amount: number, unit: string) => node(name, 'wait', 1.1, { resume: 'timeInterval', amount, unit });
    const result = await run(
      chain(start, wait('Short', 0.2, 'seconds'), wait('Long', 5, 'hours'), node('End', 'noOp', 1)),
      items({ x: 1 }),
    );
    expect(output(result, 'End')).toEqual([{ x: 1 }]);
    expect(result.logs.join('\n')).not.toContain('Short: would wait');
    expect(result.logs).toContain('Long: would wait for 5 hours here; a test continues at once');
    const until = node('Until', 'wait', 1.1, { resume: 'specificTime', dateTime: '2999-01-01T00:00:00' });
    expect((await run(chain(start, until))).logs.join('\n')).toContain('Until: would wait for');
    expect(await run(chain(start, wait('Odd', -1, 'seconds')))).toMatchObject({ status: 'error', error: { node: 'Odd' } });
  });

  test('a wait for a call from outside ends the run with what was reached', async () => {
    const result = await run(chain(start, node('Wait', 'wait', 1.1, { resume: 'webhook', options: {} }), node('End', 'noOp', 1)));
    expect(result).toMatchObject({
      status: 'error',
      error: { node: 'Wait', message: expect.stringContaining('pin the data of this node') },
    });
    expect(
      output(
        await run(chain(start, node('Wait', 'wait', 1.1, { resume: 'webhook', options: {} }), node('End', 'noOp', 1)), {
          pinned: { Wait: [{ json: { ok: 1 } }] },
        }),
        'End',
      ),
    ).toEqual([{ ok: 1 }]);
  });

  test('Stop and Error fails the run, and the error workflow is named', async () => {
    const result = await run({ ...chain(start, stop, node('After', 'noOp', 1)), settings: { errorWorkflow: 'Alarm' } });
    expect(result).toMatchObject({ status: 'error', error: { node: 'Stop', message: 'out of milk' } });
    expect(result.logs.at(-1)).toContain('error workflow "Alarm"');
    expect(ranNodes(result)).toEqual(['Start', 'Stop']);
  });

  test('a node that fails continues as its settings say', async () => {
    const failing = node('Fails', 'set', 3.4, { mode: 'raw', jsonOutput: '={{ "no json" }}', options: {} });
    const onward = await run(
      chain(start, withSettings(failing, { onError: 'continueRegularOutput' }), node('After', 'noOp', 1)),
      items({ x: 1 }),
    );
    expect(onward.status).toBe('success');
    expect(output(onward, 'After')?.[0]).toHaveProperty('error');
    const old = await run(chain(start, withSettings(failing, { continueOnFail: true }), node('After', 'noOp', 1)), items({ x: 1 }));
    expect(ranNodes(old)).toEqual(['Start', 'Fails', 'After']);
    const workflow = chain(start, withSettings(failing, { onError: 'continueErrorOutput' }), node('Well', 'noOp', 1));
    workflow.nodes.push(node('Ill', 'noOp', 1));
    link(workflow, 'Fails', 'Ill', 1);
    expect(ranNodes(await run(workflow, items({ x: 1 })))).toEqual(['Start', 'Fails', 'Ill']);
  });

  test('retries are made, executeOnce takes the first item, alwaysOutputData gives one', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      response.statusCode = ++calls < 3 ? 500 : 200;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ calls }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const fetch = node('Fetch', 'httpRequest', 4.2, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, options: {} });
    const tried = await run(chain(start, withSettings(fetch, { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 })));
    expect(output(tried, 'Fetch')).toEqual([{ calls: 3 }]);
    const once = await run(chain(start, withSettings(setField('Set', 'a', 'b'), { executeOnce: true })), items({ x: 1 }, { x: 2 }));
    expect(output(once, 'Set')).toEqual([{ x: 1, a: 'b' }]);
    const nothing = node('Limit', 'filter', 2.2, {
      conditions: {
        options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
        conditions: [{ id: '1', leftValue: '={{ $json.x }}', rightValue: 5, operator: { type: 'number', operation: 'gt' } }],
        combinator: 'and',
      },
      options: {},
    });
    expect(ranNodes(await run(chain(start, nothing, node('After', 'noOp', 1)), items({ x: 1 })))).toEqual(['Start', 'Limit']);
    const always = await run(chain(start, withSettings(nothing, { alwaysOutputData: true }), node('After', 'noOp', 1)), items({ x: 1 }));
    expect(output(always, 'After')).toEqual([{}]);
  });

  test('disabled nodes hand on what they get', async () => {
    const result = await run(chain(start, withSettings(stop, { disabled: true }), node('After', 'noOp', 1)), items({ x: 1 }));
    expect(result.status).toBe('success');
    expect(output(result, 'After')).toEqual([{ x: 1 }]);
    const first = chain(withSettings(start, { disabled: true }), setField('Set', 'a', 'b'));
    first.nodes.push(hook);
    link(first, 'Hook', 'Set');
    expect(ranNodes(await run(first))).toEqual(['Hook', 'Set']);
  });

  test('a loop goes over its items in batches, and what is done comes at the end', async () => {
    const workflow = chain(start, node('Loop', 'splitInBatches', 3, { batchSize: 2, options: {} }), node('Done', 'noOp', 1));
    workflow.nodes.push(setField('Each', 'seen', '={{ $runIndex }}', 'number'));
    link(workflow, 'Loop', 'Each', 1);
    link(workflow, 'Each', 'Loop');
    const result = await run(workflow, items({ x: 1 }, { x: 2 }, { x: 3 }));
    expect(output(result, 'Done')).toEqual([
      { x: 1, seen: 0 },
      { x: 2, seen: 0 },
      { x: 3, seen: 1 },
    ]);
    expect(result.runs.filter((one) => one.node === 'Each')).toHaveLength(2);
  });

  test('items stay paired through nodes that filter and reorder', async () => {
    const sorted = node('Sort', 'sort', 1, { sortFieldsUi: { sortField: [{ fieldName: 'x', order: 'descending' }] }, options: {} });
    const looked = setField('Look', 'from', "={{ $('Name').item.json.name }}");
    const result = await run(
      chain(start, setField('Name', 'name', '=n{{ $json.x }}'), sorted, node('Only', 'limit', 1, { maxItems: 2 }), looked),
      items({ x: 1 }, { x: 2 }, { x: 3 }),
    );
    expect(output(result, 'Look')?.map(({ from }) => from)).toEqual(['n3', 'n2']);
  });

  test('of several triggers one begins: that which is asked for, pinned, manual, or leads on', async () => {
    const workflow: Workflow = { ...chain(hook, setField('From', 'by', '={{ $prevNode.name }}')), name: 'Several' };
    workflow.nodes.push(schedule, start);
    link(workflow, 'Every day', 'From');
    const begun = async (input: Parameters<typeof run>[1]) => ranNodes(await run(workflow, input))[0];
    expect(await begun({})).toBe('Hook');
    expect(await begun({ trigger: 'Every day' })).toBe('Every day');
    expect(await begun({ pinned: { 'Every day': [{ json: {} }] } })).toBe('Every day');
    link(workflow, 'Start', 'From');
    const manual = await run(workflow);
    expect(ranNodes(manual)[0]).toBe('Start');
    expect(manual.logs[0]).toBe('The run begins with "Start"; the parameter trigger names another: "Hook", "Every day"');
    await expect(run(workflow, { trigger: 'Hok' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('no enabled trigger "Hok"'),
      fix: { example: { trigger: 'Hook' } },
    });
  });

  test('triggers that need nothing from outside give what n8n gives', async () => {
    expect(output(await run(chain(schedule, node('End', 'noOp', 1))), 'End')?.[0]).toHaveProperty('Readable date');
    expect(output(await run(chain(schedule, node('End', 'noOp', 1)), items({ x: 1 })), 'End')).toEqual([{ x: 1 }]);
    const chat = node('Chat', '@n8n/n8n-nodes-langchain.chatTrigger', 1.1, { options: {} });
    expect(output(await run(chain(chat, setField('Set', 'said', '={{ $json.chatInput }}'))), 'Set')?.[0]).toMatchObject({ said: '' });
    expect(output(await run(chain(node('Failed', 'errorTrigger', 1), node('End', 'noOp', 1))), 'End')?.[0]).toMatchObject({
      execution: { error: {} },
    });
    expect(output(await run(chain(hook, setField('Set', 'name', '={{ $json.body.name ?? "nobody" }}'))), 'Set')?.[0]).toMatchObject({
      name: 'nobody',
    });
    expect(
      output(
        await run(
          chain(
            node('Form', 'formTrigger', 2.2, { formTitle: 'a', formFields: { values: [{ fieldLabel: 'Name' }] }, options: {} }),
            node('End', 'noOp', 1),
          ),
          items({ Name: 'Ada' }),
        ),
        'End',
      ),
    ).toEqual([{ Name: 'Ada' }]);
  });

  test('duplicates are recognized within a run, and forgotten after it', async () => {
    const unseen = node('Unseen', 'removeDuplicates', 2, {
      operation: 'removeItemsSeenInPreviousExecutions',
      dedupeValue: '={{ $json.x }}',
      options: {},
    });
    const workflow = chain(start, unseen, { ...unseen, name: 'Again', id: 'Unseen' });
    for (let round = 0; round < 2; round++) {
      const result = await run(workflow, items({ x: 1 }, { x: 2 }));
      expect(output(result, 'Unseen')).toEqual([{ x: 1 }, { x: 2 }]);
      expect(output(result, 'Again')).toEqual([]);
      expect(output(result, 'Again', 1)).toEqual([{ x: 1 }, { x: 2 }]);
    }
  });

  test('connections that n8n cannot read are refused with how to fix them', async () => {
    const flat = { ...chain(start, node('End', 'noOp', 1)), connections: { Start: { main: [{ node: 'End', type: 'main', index: 0 }] } } };
    await expect(run(flat as never)).rejects.toMatchObject({ code: 'invalid_input', fix: { instruction: 'workflow_repair fixes them' } });
  });

  test('a version that a type never had does not matter where the type has no versions', async () => {
    expect((await run(chain(start, node('Old', 'function', 2, { functionCode: 'return items;' })), items({ x: 1 }))).status).toBe(
      'success',
    );
  });

  test('a file without an execution order runs in the old one, as in n8n', async () => {
    const workflow = chain(start, node('A', 'noOp', 1), node('A2', 'noOp', 1));
    workflow.nodes.push(node('B', 'noOp', 1, {}, { position: [0, 200] }), node('B2', 'noOp', 1));
    link(workflow, 'Start', 'B');
    link(workflow, 'B', 'B2');
    expect(ranNodes(await run(workflow))).toEqual(['Start', 'A', 'B', 'A2', 'B2']);
    const two = chain(start, node('Merge', 'merge', 3.2), node('End', 'noOp', 1));
    two.nodes.push(hook);
    link(two, 'Hook', 'Merge', 0, 1);
    expect(output(await run(two, items({ x: 1 })), 'End')).toEqual([{ x: 1 }, {}]);
    expect(ranNodes(await run({ ...workflow, settings: { executionOrder: 'v1' } }))).toEqual(['Start', 'A', 'A2', 'B', 'B2']);
  });
});
