import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, code, items, node, output, setField, start } from '../../../test/harness/n8n-workflows.ts';
import { PackReader } from '../catalogue/pack/pack-reader.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { testEngine } from '../testing/engine.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

const home = sharedPackHome();

describe.skipIf(!home)('with the engine pack', () => {
  const run = testEngine(home);

  test('items go through the nodes in order, and expressions are evaluated', async () => {
    const result = await run(
      chain(start, setField('First', 'a', '={{ $json.x + 1 }}'), setField('Second', 'b', "={{ $('First').item.json.a }}!")),
      items({ x: 1 }, { x: 2 }),
    );
    expect(result).toMatchObject({ status: 'success', where: 'embedded' });
    expect(result.runs.map(({ node: name, order, status }) => [name, order, status])).toEqual([
      ['Start', 0, 'success'],
      ['First', 1, 'success'],
      ['Second', 2, 'success'],
    ]);
    expect(output(result, 'Second')).toEqual([
      { x: 1, a: '2', b: '2!' },
      { x: 2, a: '3', b: '3!' },
    ]);
    expect(result.executionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('both sides of an IF, and a Merge that waits for them', async () => {
    const conditions = {
      options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
      conditions: [{ id: '1', leftValue: '={{ $json.x }}', rightValue: 1, operator: { type: 'number', operation: 'gt' } }],
      combinator: 'and',
    };
    const workflow: Workflow = {
      nodes: [
        start,
        node('If', 'if', 2.2, { conditions, options: {} }),
        setField('Big', 'size', 'big'),
        setField('Small', 'size', 'small'),
        node('Merge', 'merge', 3.2),
      ],
      connections: {
        Start: { main: [[{ node: 'If', type: 'main', index: 0 }]] },
        If: { main: [[{ node: 'Big', type: 'main', index: 0 }], [{ node: 'Small', type: 'main', index: 0 }]] },
        Big: { main: [[{ node: 'Merge', type: 'main', index: 0 }]] },
        Small: { main: [[{ node: 'Merge', type: 'main', index: 1 }]] },
      },
    };
    const result = await run(workflow, items({ x: 1 }, { x: 2 }));
    expect(result.runs.find((one) => one.node === 'If')?.outputs.map((side) => side.map((item) => item.json))).toEqual([
      [{ x: 2 }],
      [{ x: 1 }],
    ]);
    expect(output(result, 'Merge')).toEqual([
      { x: 2, size: 'big' },
      { x: 1, size: 'small' },
    ]);
  });

  test('Code nodes have what n8n offers them, and nothing else', async () => {
    const script = `
      console.log('seen', items.length);
      const $static = $getWorkflowStaticData('global');
      $static.count = ($static.count ?? 0) + 1;
      let required = ''; try { require('fs') } catch (error) { required = error.message }
      return $input.all().map((item, index) => ({ json: { x: item.json.x, first: $('Start').first().json.x, luxon: typeof DateTime.now, process: typeof process, required } }))`;
    const result = await run(chain(start, code(script)), items({ x: 1 }, { x: 2 }));
    expect(output(result, 'Code')?.[1]).toEqual({
      x: 2,
      first: 1,
      luxon: 'function',
      process: 'undefined',
      required: "Module 'fs' is disallowed",
    });
    expect(result.logs).toContain('Code: seen 2');
    const each = await run(
      chain(start, code('return { json: { i: $itemIndex, x: $json.x } }', 'runOnceForEachItem')),
      items({ x: 5 }, { x: 6 }),
    );
    expect(output(each, 'Code')).toEqual([
      { i: 0, x: 5 },
      { i: 1, x: 6 },
    ]);
  });

  test('a script that breaks out of its context finds no environment, files, modules or network', async () => {
    const script = `
      const host = this.constructor.constructor('return process')();
      const tries = {
        environment: () => Object.keys(host.env).length,
        modules: () => host.getBuiltinModule('fs'),
        binding: () => host.binding('fs'),
        network: () => host.constructor.constructor('return fetch("http://127.0.0.1")')(),
      };
      const found = {};
      for (const [name, attempt] of Object.entries(tries)) { try { found[name] = String(await attempt()) } catch (error) { found[name] = 'refused' } }
      return [{ json: found }]`;
    expect(output(await run(chain(start, code(script))), 'Code')).toEqual([
      { environment: '0', modules: 'refused', binding: 'refused', network: 'refused' },
    ]);
  });

  test('an expression cannot reach the machine either', async () => {
    const result = await run(chain(start, setField('Peek', 'env', '={{ $env.HOME }}')));
    expect(JSON.stringify(output(result, 'Peek') ?? result.error)).not.toContain(process.env['HOME']);
  });

  test('a failing node is named with its message, and what ran before it is there', async () => {
    const result = await run(chain(start, code("throw new Error('out of milk')"), node('After', 'noOp', 1)));
    expect(result.status).toBe('error');
    expect(result.error).toMatchObject({ node: 'Code', message: expect.stringContaining('out of milk') });
    expect(result.runs.map(({ node: name, status }) => [name, status])).toEqual([
      ['Start', 'success'],
      ['Code', 'error'],
    ]);
  });

  test('an error output takes what failed', async () => {
    const failing = { ...node('Stop', 'stopAndError', 1, { errorMessage: 'no' }) };
    const script: WorkflowNode = { ...code('throw new Error("bad")'), onError: 'continueErrorOutput' };
    const workflow = chain(start, script, failing);
    workflow.nodes.push(node('Rescue', 'noOp', 1));
    workflow.connections['Code'] = { main: [[{ node: 'Stop', type: 'main', index: 0 }], [{ node: 'Rescue', type: 'main', index: 0 }]] };
    const result = await run(workflow, items({ x: 1 }));
    expect(result.status).toBe('success');
    expect(output(result, 'Rescue')?.[0]).toMatchObject({ error: expect.stringContaining('bad') });
  });

  test('parameters that n8n refuses fail the run before any node', async () => {
    const result = await run(chain(start, node('Fetch', 'httpRequest', 4.2, { options: {} })));
    expect(result).toMatchObject({ status: 'error', runs: [], error: { message: expect.stringContaining('URL') } });
  });

  test('a host that is not reached is a connection that breaks, with the reason', async () => {
    const fetch = (url: string) => node('Fetch', 'httpRequest', 4.2, { url, options: { response: { response: { neverError: true } } } });
    const result = await run(chain(start, fetch('http://no-such-host.invalid/')));
    const reason = 'no-such-host.invalid:80 was not reached: There is no host no-such-host.invalid';
    expect(result).toMatchObject({ status: 'error', error: { node: 'Fetch', description: expect.stringContaining(reason) } });
    expect(result.logs).toContain(reason);
  });

  test('requests reach an address', async () => {
    const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end('{"hello":"you"}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(output(await run(chain(start, node('Fetch', 'httpRequest', 4.2, { url, options: {} }))), 'Fetch')).toEqual([{ hello: 'you' }]);
  });

  test('a script without end is stopped at the time limit, and the next run works', async () => {
    const result = await run(chain(start, code('while (true) {}')), {}, { timeoutMs: 700 });
    expect(result).toMatchObject({ status: 'timeout', error: { message: expect.stringContaining('700 ms') } });
    expect((await run(chain(start, node('End', 'noOp', 1)))).status).toBe('success');
  });

  test('a circle of nodes without end is stopped', async () => {
    const workflow = chain(start, node('A', 'noOp', 1), node('B', 'noOp', 1));
    workflow.connections['B'] = { main: [[{ node: 'A', type: 'main', index: 0 }]] };
    expect(await run(workflow)).toMatchObject({ status: 'error', error: { message: expect.stringContaining('without end') } });
  });

  test('a script that wants too much memory ends its own process only', async () => {
    const result = await run(chain(start, code('const all = []; for (;;) all.push(new Array(1e6).fill(all.length))')));
    expect(result).toMatchObject({ status: 'error', error: { node: 'Code', message: expect.stringContaining('memory') } });
  });

  test('a cancelled run is killed', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const result = await run(
      chain(start, code('await new Promise((resolve) => setTimeout(resolve, 60000)); return []')),
      {},
      { timeoutMs: 60_000, signal: stop.signal },
    );
    expect(result.status).toBe('cancelled');
  });

  test('a node that needs a credential is reported before the run, unless it is pinned', async () => {
    const slack = node('Slack', 'slack', 2.3, {
      resource: 'message',
      operation: 'post',
      select: 'channel',
      channelId: { __rl: true, mode: 'id', value: 'C0123456789' },
      text: 'hi',
    });
    const workflow = chain(start, slack, setField('After', 'ok', '={{ $json.ok }}'));
    await expect(run(workflow)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('slackApi'),
      details: { nodes: [{ node: 'Slack', reason: expect.any(String) }] },
    });
    const pinned = await run(workflow, { pinned: { Slack: [{ json: { ok: 'yes' } }] } });
    expect(output(pinned, 'After')).toEqual([{ ok: 'yes' }]);
    await expect(run(workflow, { pinned: { Slak: [] } })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('an AI agent runs with its answer pinned, and is refused without', async () => {
    const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', 2, { promptType: 'define', text: 'hi', options: {} });
    const chat = node('Chat', '@n8n/n8n-nodes-langchain.chatTrigger', 1.1, { options: {} });
    const workflow = chain(chat, agent, setField('After', 'said', '={{ $json.output }}'));
    workflow.nodes.push(node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, { options: {} }));
    workflow.connections['Model'] = { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] };
    await expect(run(workflow)).rejects.toMatchObject({
      code: 'unavailable',
      message:
        '"Agent" cannot run in the embedded engine: AI nodes run on an n8n instance only, with the credentials of "Model" (openAiApi)',
      fix: { example: { testData: { pinned: { Agent: [{ json: { output: expect.any(String) } }] } } } },
    });
    expect(output(await run(workflow, { pinned: { Agent: [{ json: { output: 'hello' } }] } }), 'After')).toEqual([
      { output: 'hello', said: 'hello' },
    ]);
  });

  test('commands are not run', async () => {
    await expect(run(chain(start, node('Shell', 'executeCommand', 1, { command: 'id' })))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test("a file's own pinned data counts, and waits are not waited for", async () => {
    const workflow = chain(start, node('Wait', 'wait', 1.1, { resume: 'timeInterval', amount: 5, unit: 'hours' }), node('End', 'noOp', 1));
    workflow.pinData = { Start: [{ json: { from: 'file' } }] };
    expect(output(await run(workflow), 'End')).toEqual([{ from: 'file' }]);
  });

  test('of very many items the first are kept, and all are counted', async () => {
    const result = await run(chain(start, code('return Array.from({ length: 5000 }, (_, n) => ({ json: { n } }))')));
    const last = result.runs.at(-1);
    expect(last?.outputs[0]).toHaveLength(2000);
    expect(last?.itemCounts).toEqual([5000]);
  });

  test('a webhook that is answered by a node says what the answer is', async () => {
    const hook = node('Hook', 'webhook', 2, { path: 'x', responseMode: 'responseNode', options: {} });
    const answer = node('Answer', 'respondToWebhook', 1.1, {
      respondWith: 'json',
      responseBody: '={{ { hello: $json.body.name } }}',
      options: {},
    });
    const result = await run(chain(hook, answer), items({ body: { name: 'Ada' } }));
    expect(result.status).toBe('success');
    expect(result.logs.join('\n')).toContain('"hello":"Ada"');
  });

  test('more runs than processes wait for their turn', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, number) => run(chain(start, setField('Set', 'n', String(number))), items({}))),
    );
    expect(results.map((result) => output(result, 'Set')?.[0]?.['n'])).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test('a home behind a symbolic link works', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-linked-'));
    symlinkSync(home as string, join(folder, 'home'));
    const linked = new PackReader({ home: join(folder, 'home'), log: silentLog });
    const own = new EmbeddedEngine(linked, { processes: 1 });
    onTestFinished(async () => {
      await own.close();
      linked.close();
      rmSync(folder, { recursive: true });
    });
    const result = await own.run(chain(start, node('End', 'noOp', 1)), {}, { timeoutMs: 55_000, signal: new AbortController().signal });
    expect(result.status).toBe('success');
  });
});
