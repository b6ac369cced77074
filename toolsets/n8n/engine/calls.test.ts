import { Failure } from '@millrace/kernel';
import { describe, expect, test } from 'vitest';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, code, items, link, node, output, setField, start } from '../../../test/harness/n8n-workflows.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { testEngine } from '../testing/engine.ts';
import type { CallableWorkflows } from './engine.ts';

const home = sharedPackHome();
const called = node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });

function call(parameters: Record<string, unknown>, typeVersion = 1.2, more: Partial<WorkflowNode> = {}): WorkflowNode {
  return node('Call', 'executeWorkflow', typeVersion, { options: {}, ...parameters }, more);
}

const byId = (id: string, more: Record<string, unknown> = {}) => call({ workflowId: { __rl: true, mode: 'id', value: id }, ...more });

function callable(workflows: Record<string, Workflow>): CallableWorkflows {
  return {
    async find({ id, name, path }) {
      const found = workflows[id ?? ''] ?? workflows[path ?? ''] ?? workflows[name ?? ''];
      if (!found) throw new Failure('not_found', `There is no workflow ${JSON.stringify(id ?? path)}`);
      return found;
    },
  };
}

function sub(name: string, ...nodes: WorkflowNode[]): Workflow {
  return { ...chain(called, ...nodes), id: name, name };
}

describe.skipIf(!home)('calls of other workflows', () => {
  const run = testEngine(home);

  test('a workflow is called with all items, and its last node gives the result', async () => {
    const double = sub('Double', setField('Twice', 'twice', '={{ $json.x * 2 }}', 'number'));
    const result = await run(
      chain(start, byId('Double'), setField('After', 'sum', '={{ $json.x + $json.twice }}', 'number')),
      items({ x: 1 }, { x: 2 }),
      {
        callable: callable({ Double: double }),
      },
    );
    expect(result.status).toBe('success');
    expect(output(result, 'After')).toEqual([
      { x: 1, twice: 2, sum: 3 },
      { x: 2, twice: 4, sum: 6 },
    ]);
    expect(result.runs.map((one) => one.node)).toEqual(['Start', 'Call', 'After']);
    expect(result.logs.join('\n')).toMatch(/Double > Twice ran in \d+ ms: 2 items/);
  });

  test('once for each item, the called workflow sees one at a time', async () => {
    const count = sub('Count', setField('Seen', 'seen', '={{ $input.all().length }}', 'number'));
    const all = await run(chain(start, byId('Count')), items({ x: 1 }, { x: 2 }), { callable: callable({ Count: count }) });
    expect(output(all, 'Call')?.map(({ seen }) => seen)).toEqual([2, 2]);
    const each = await run(chain(start, byId('Count', { mode: 'each' })), items({ x: 1 }, { x: 2 }), {
      callable: callable({ Count: count }),
    });
    expect(output(each, 'Call')?.map(({ seen }) => seen)).toEqual([1, 1]);
  });

  test('inputs that the called workflow defines are mapped, and nothing else goes in', async () => {
    const greet = sub('Greet', setField('Text', 'text', '=Hello {{ $json.name }}'));
    greet.nodes[0] = node('Called', 'executeWorkflowTrigger', 1.1, {
      workflowInputs: { values: [{ name: 'name' }, { name: 'age', type: 'number' }] },
    });
    const workflowInputs = {
      mappingMode: 'defineBelow',
      value: { name: '={{ $json.first }}' },
      matchingColumns: [],
      schema: [{ id: 'name', displayName: 'name', type: 'string', required: false, display: true, canBeUsedToMatch: true }],
    };
    const result = await run(chain(start, byId('Greet', { workflowInputs })), items({ first: 'Ada', secret: 1 }), {
      callable: callable({ Greet: greet }),
    });
    expect(output(result, 'Call')).toEqual([{ name: 'Ada', age: null, text: 'Hello Ada' }]);
  });

  test('a workflow that is written into the node, and one in a file', async () => {
    const inner = sub('Inner', setField('Mark', 'mark', 'inner'));
    const json = await run(chain(start, call({ source: 'parameter', workflowJson: JSON.stringify(inner) })), items({ x: 1 }));
    expect(output(json, 'Call')).toEqual([{ x: 1, mark: 'inner' }]);
    for (const typeVersion of [1, 1.2]) {
      const file = await run(
        chain(start, call({ source: 'localFile', workflowPath: '={{ "subs" }}/inner.json' }, typeVersion)),
        items({ x: 1 }),
        {
          callable: callable({ 'subs/inner.json': inner }),
        },
      );
      expect(output(file, 'Call')).toEqual([{ x: 1, mark: 'inner' }]);
    }
  });

  test('an id that only the run knows is found by then, and the cached name helps', async () => {
    const inner = sub('Inner', setField('Mark', 'mark', 'inner'));
    const late = call({ workflowId: { __rl: true, mode: 'id', value: '={{ $json.which }}' } });
    const found = await run(chain(start, late), items({ which: 'Inner' }), { callable: callable({ Inner: inner }) });
    expect(output(found, 'Call')).toEqual([{ which: 'Inner', mark: 'inner' }]);
    const lost = await run(chain(start, late), items({ which: 'Nobody' }), { callable: callable({ Inner: inner }) });
    expect(lost).toMatchObject({ status: 'error', error: { node: 'Call', message: expect.stringContaining('no workflow "Nobody"') } });
    const listed = call({ workflowId: { __rl: true, mode: 'list', value: 'AbC123', cachedResultName: 'Inner' } });
    expect(output(await run(chain(start, listed), items({ x: 1 }), { callable: callable({ Inner: inner }) }), 'Call')).toEqual([
      { x: 1, mark: 'inner' },
    ]);
  });

  test('Code nodes of a called workflow run, and see their own workflow', async () => {
    const inner = sub('Inner', code("return [{ json: { name: $workflow.name, first: $('Called').first().json.x } }]"));
    const result = await run(chain(start, byId('Inner')), items({ x: 7 }), { callable: callable({ Inner: inner }) });
    expect(output(result, 'Call')).toEqual([{ name: 'Inner', first: 7 }]);
  });

  test('what fails in a called workflow fails the calling node, and says where it was', async () => {
    const bad = sub('Bad', node('Stop', 'stopAndError', 1, { errorMessage: 'no more milk' }));
    const workflow = chain(start, byId('Bad'), node('After', 'noOp', 1));
    const result = await run(workflow, items({ x: 1 }), { callable: callable({ Bad: bad }) });
    expect(result).toMatchObject({
      status: 'error',
      error: { node: 'Call', message: 'no more milk', description: expect.stringContaining('"Bad", node "Stop"') },
    });
    (workflow.nodes[1] as WorkflowNode).onError = 'continueErrorOutput';
    workflow.nodes.push(node('Rescue', 'noOp', 1));
    link(workflow, 'Call', 'Rescue', 1);
    const rescued = await run(workflow, items({ x: 1 }), { callable: callable({ Bad: bad }) });
    expect(rescued.status).toBe('success');
    expect(output(rescued, 'Rescue')).toEqual([{ x: 1, error: 'no more milk' }]);
  });

  test('a call that is not waited for gives its input on, and its end is in the logs', async () => {
    const inner = sub('Inner', setField('Mark', 'mark', 'inner'), node('Stop', 'stopAndError', 1, { errorMessage: 'late' }));
    const result = await run(chain(start, byId('Inner', { options: { waitForSubWorkflow: false } })), items({ x: 1 }), {
      callable: callable({ Inner: inner }),
    });
    expect(result.status).toBe('success');
    expect(output(result, 'Call')).toEqual([{ x: 1 }]);
    expect(result.logs).toContain('Inner > failed in Stop: late');
  });

  test('long waits are passed over there too', async () => {
    const slow = sub('Slow', node('Wait', 'wait', 1.1, { resume: 'timeInterval', amount: 2, unit: 'minutes' }));
    const result = await run(chain(start, byId('Slow')), items({ x: 1 }), { callable: callable({ Slow: slow }) });
    expect(output(result, 'Call')).toEqual([{ x: 1 }]);
    expect(result.logs).toContain('Slow > Wait: would wait for 2 minutes here; a test continues at once');
  });

  test('workflows that call themselves may, as long as it ends', async () => {
    const conditions = {
      options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
      conditions: [{ id: '1', leftValue: '={{ $json.n }}', rightValue: 0, operator: { type: 'number', operation: 'gt' } }],
      combinator: 'and',
    };
    const countdown = sub(
      'Countdown',
      node('More', 'if', 2.2, { conditions, options: {} }),
      setField('Less', 'n', '={{ $json.n - 1 }}', 'number'),
      byId('Countdown'),
    );
    const ended = await run(countdown, { pinned: { Called: [{ json: { n: 3 } }] } }, { callable: callable({ Countdown: countdown }) });
    expect(ended.status).toBe('success');
    const forever = sub('Forever', byId('Forever'));
    const cut = await run(forever, {}, { callable: callable({ Forever: forever }) });
    expect(cut).toMatchObject({ status: 'error', error: { message: expect.stringContaining('levels deep (Forever > Forever') } });
  });

  test('what a called workflow cannot do here is reported before the run, unless its file pins it', async () => {
    const slack = node('Slack', 'slack', 2.3, {
      resource: 'message',
      operation: 'post',
      select: 'channel',
      channelId: { __rl: true, mode: 'id', value: 'C1' },
      text: 'hi',
    });
    const notify = sub('Notify', slack);
    const workflow = chain(start, byId('Outer'));
    const outer = sub('Outer', byId('Notify'));
    const files = callable({ Outer: outer, Notify: notify });
    await expect(run(workflow, {}, { callable: files })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/calls "Outer", whose node "Call" .* calls "Notify", whose node "Slack" .* slackApi/),
      fix: { example: { testData: { pinned: { Call: [{ json: {} }] } } } },
    });
    await expect(run(chain(start, byId('Gone')), {}, { callable: files })).rejects.toMatchObject({
      message: expect.stringContaining('"Gone"'),
    });
    await expect(run(chain(start, byId('Plain')), {}, { callable: callable({ Plain: chain(slack) }) })).rejects.toMatchObject({
      message: expect.stringContaining('cannot be called by another one'),
    });
    notify.pinData = { Slack: [{ json: { sent: true } }] };
    expect(output(await run(workflow, {}, { callable: files }), 'Call')).toEqual([{ sent: true }]);
  });
});
