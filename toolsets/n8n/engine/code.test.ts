import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, code, items, link, node, output, setField, start } from '../../../test/harness/n8n-workflows.ts';
import { testEngine } from '../testing/engine.ts';

const home = sharedPackHome();

/** Scripts as people write them, and the first item that they give, or what their error output says. */
const SCRIPTS: [what: string, script: string, item: Record<string, unknown>][] = [
  ['$input.first()', 'return { v: $input.first().json.x }', { v: 1 }],
  ['$input.last()', 'return { v: $input.last().json.x }', { v: 2 }],
  ['$input.all()', 'return { v: $input.all().length }', { v: 2 }],
  ['$json', 'return { v: $json.x }', { v: 1 }],
  ['items', 'items[0].json.y = 2; return items', { x: 1, y: 2 }],
  ['$items', 'return { v: $items("Start")[0].json.x }', { v: 1 }],
  ['$node', 'return { v: $node["Start"].json.x }', { v: 1 }],
  ["$('Node').first()", "return { v: $('Start').first().json.x }", { v: 1 }],
  ["$('Node').all()", "return $('Start').all()", { x: 1 }],
  ["$('Node').item", "return { v: $('Start').item.json.x }", { v: 1 }],
  ["$('Node').itemMatching", "return { v: $('Start').itemMatching(0).json.x }", { v: 1 }],
  ["$('Node').isExecuted", "return { v: $('Start').isExecuted }", { v: true }],
  ['a node that is not there', "$('Nobody').first()", { error: "Referenced node doesn't exist" }],
  ['$workflow', 'return { v: $workflow.name }', { v: 'A chain' }],
  ['$prevNode', 'return { v: $prevNode.name }', { v: 'Start' }],
  ['$runIndex', 'return { v: $runIndex }', { v: 0 }],
  ['$execution', 'return { v: $execution.mode }', { v: 'test' }],
  ['$execution.customData', '$execution.customData.set("k", "v"); return { v: $execution.customData.get("k") }', { v: 'v' }],
  ['$now', 'return { v: $now.toISO().length > 20 && $now.plus({ days: 1 }) > $now }', { v: true }],
  ['$today', 'return { v: $today.hour }', { v: 0 }],
  ['DateTime', "return { v: DateTime.fromISO('2024-02-28').plus({ days: 2 }).toFormat('yyyy-MM-dd') }", { v: '2024-03-01' }],
  [
    'Duration and Interval',
    "return { v: Duration.fromMillis(60000).as('minutes') + Interval.after(DateTime.now(), { hours: 1 }).length('hours') }",
    { v: 2 },
  ],
  ['$jmespath', "return { v: $jmespath({ a: [{ b: 1 }, { b: 2 }] }, 'a[*].b') }", { v: [1, 2] }],
  ['$jmesPath', "return { v: $jmesPath({ a: 1 }, 'a') }", { v: 1 }],
  ['$getWorkflowStaticData', "const data = $getWorkflowStaticData('node'); data.n = (data.n ?? 0) + 1; return { v: data.n }", { v: 1 }],
  ['$evaluateExpression', "return { v: $evaluateExpression('{{ 1 + 1 }}') }", { v: 2 }],
  ['Buffer', "return { v: Buffer.from('hi').toString('base64') }", { v: 'aGk=' }],
  ['btoa and TextEncoder', "return { v: btoa('hi') + new TextEncoder().encode('é').length }", { v: 'aGk=2' }],
  ['timers', 'await new Promise((resolve) => setTimeout(resolve, 5)); return { v: 1 }', { v: 1 }],
  ['one plain object', 'return { v: 1 }', { v: 1 }],
  ['plain objects', 'return [{ v: 1 }, { v: 2 }]', { v: 1 }],
  ['json alone', 'return { json: { v: 1 } }', { v: 1 }],
  ['dates become text', "return { v: new Date('2024-01-01') }", { v: '2024-01-01T00:00:00.000Z' }],
  ['a function of its own', 'function twice(n) { return n * 2 }\nreturn { v: twice($json.x) }', { v: 2 }],
  [
    'a generator, a class and a Map',
    'class A { #n = 1; get n() { return this.#n } }\nconst m = new Map([["a", new A().n]]); return { v: [...m.values()] }',
    { v: [1] },
  ],
  ['an arrow in a map', 'return $input.all().map(({ json }) => ({ json: { ...json, y: json.x ?? 0 } }))', { x: 1, y: 1 }],
  ['a comment at the end', 'return { v: 1 } // done', { v: 1 }],
  [
    'crypto',
    "const crypto = require('crypto'); return { v: crypto.createHash('md5').update('a').digest('hex') }",
    { v: '0cc175b9c0f1b6a831c399e269772661' },
  ],
  ['lodash', "const _ = require('lodash'); return { v: _.uniq([1, 1]) }", { v: [1] }],
  ['moment', "return { v: require('moment')('2024-01-31').add(1, 'month').format('YYYY-MM-DD') }", { v: '2024-02-29' }],
  ['no fetch, as in n8n', 'return { v: typeof fetch + typeof process }', { v: 'undefinedundefined' }],
  ['console', "console.time('a'); console.count(); console.log('x', { a: 1 }, new Error('e')); return { v: 1 }", { v: 1 }],
  ['the line that threw', 'const a = 1;\nthrow new Error("no")', { error: 'no [line 2]' }],
  ['a string thrown', 'throw "no"', { error: expect.stringContaining('no') }],
  ['a script that is not JavaScript', 'return {', { error: 'Unexpected end of input' }],
];

describe.skipIf(!home)('Code nodes', () => {
  const run = testEngine(home);
  /** Several scripts in one run, since each run with scripts starts a process: the items of each, or of its error output. */
  const together = async (scripts: readonly string[], mode = 'runOnceForAllItems') => {
    const workflow = chain(start);
    for (const [at, jsCode] of scripts.entries()) {
      workflow.nodes.push(node(`Code ${at}`, 'code', 2, { mode, jsCode }, { onError: 'continueErrorOutput' }));
      link(workflow, 'Start', `Code ${at}`);
    }
    const result = await run(workflow, items({ x: 1 }, { x: 2 }));
    return scripts.map((_, at) => [output(result, `Code ${at}`), output(result, `Code ${at}`, 1)].flatMap((list) => list ?? []));
  };
  const first = async (script: string, json: Record<string, unknown> = { x: 1 }, mode?: string) => {
    const result = await run(chain(start, code(script, mode)), items(json));
    return output(result, 'Code')?.[0] ?? result.error;
  };

  test('requests are made for them, as n8n does', async () => {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      response.statusCode = request.url === '/gone' ? 404 : 200;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ method: request.method, body }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [posted, got, failed, several] = await together([
      `return await this.helpers.httpRequest({ method: 'POST', url: '${url}/', body: { hello: $json.x }, json: true })`,
      `return { got: JSON.parse(await helpers.request('${url}/')).method }`,
      `try { await this.helpers.httpRequest({ url: '${url}/gone' }) } catch (error) { return { status: error.response?.status ?? error.statusCode, message: error.message } }`,
      `const all = await Promise.all([1, 2, 3].map((n) => this.helpers.httpRequest({ method: 'POST', url: '${url}/', body: { n }, json: true })));
       return all.map((one) => ({ json: JSON.parse(one.body) }))`,
    ]);
    expect(posted).toEqual([{ method: 'POST', body: '{"hello":1}' }]);
    expect(got).toEqual([{ got: 'GET' }]);
    expect(failed).toEqual([{ status: 404, message: expect.stringContaining('404') }]);
    expect(several).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('binary data are read and made', async () => {
    const script = `
      const made = await this.helpers.prepareBinaryData(Buffer.from('a,b\\n1,2'), 'table.csv', 'text/csv');
      return [{ json: {}, binary: { data: made } }]`;
    const reading = node('Read', 'code', 2, {
      mode: 'runOnceForAllItems',
      jsCode:
        "const buffer = await this.helpers.getBinaryDataBuffer(0, 'data'); return { size: buffer.length, text: buffer.toString('utf8') }",
    });
    const result = await run(chain(start, code(script), reading));
    expect(result.runs.find((one) => one.node === 'Code')?.outputs[0]?.[0]?.['binary']).toMatchObject({
      data: { fileName: 'table.csv', mimeType: 'text/csv' },
    });
    expect(output(result, 'Read')).toEqual([{ size: 7, text: 'a,b\n1,2' }]);
    const [missing, unsupported] = await together([
      'return await this.helpers.getBinaryDataBuffer(0, "nothing")',
      'return helpers.httpRequestWithAuthentication()',
    ]);
    expect(missing?.[0]).toMatchObject({ error: expect.stringContaining('nothing') });
    expect(unsupported?.[0]).toMatchObject({ error: expect.stringContaining('not supported in the Code Node') });
  });

  test('what people write works as in n8n', async () => {
    const given = await together(SCRIPTS.map(([, script]) => script));
    for (const [at, [what, , expected]] of SCRIPTS.entries()) expect(given[at]?.[0], what).toMatchObject(expected);
  });

  test("what is not an item is refused in n8n's words", async () => {
    for (const script of ['const a = 1', 'return "text"']) {
      expect(await first(script)).toMatchObject({ message: expect.stringContaining("doesn't return items properly") });
    }
  });

  test('once for each item', async () => {
    const scripts = [
      '$json.y = $itemIndex; return $input.item',
      'return { json: { v: item.json.x } }',
      'return $json.x > 1 ? { v: $json.x } : null',
      'global.count = (global.count ?? 0) + 1; return { v: count }',
    ];
    expect(await together(scripts, 'runOnceForEachItem')).toEqual([
      [
        { x: 1, y: 0 },
        { x: 2, y: 1 },
      ],
      [{ v: 1 }, { v: 2 }],
      [{ v: 2 }],
      [{ v: 1 }, { v: 2 }],
    ]);
    expect(await first('return [{ v: 1 }]', { x: 1 }, 'runOnceForEachItem')).toMatchObject({
      message: expect.stringContaining('[item 0]'),
    });
  });

  test('what a module needs on an instance is reported, and other modules are refused', async () => {
    const allowed = await run(chain(start, code("const a = require('crypto'), b = require('node:crypto'); return { v: a === b }")));
    expect(allowed.logs.filter((line) => line.includes('NODE_FUNCTION_ALLOW_BUILTIN=crypto'))).toHaveLength(1);
    const names = ['fs', 'child_process', 'http', 'axios', '../../secrets'];
    const refused = await together(names.map((name) => `require('${name}')`));
    for (const [at, name] of names.entries()) expect(refused[at]?.[0]).toMatchObject({ error: `Module '${name}' is disallowed [line 1]` });
  });

  test('static data stay for the run and start as the file has them', async () => {
    const counting = "const data = $getWorkflowStaticData('global'); data.n = (data.n ?? 0) + 1; return { n: data.n }";
    const workflow = chain(start, code(counting), { ...code(counting), name: 'Again' });
    expect(output(await run(workflow), 'Again')).toEqual([{ n: 2 }]);
    expect(output(await run({ ...workflow, staticData: { global: { n: 5 } } }), 'Again')).toEqual([{ n: 7 }]);
  });

  test('an error of a script goes where its node says', async () => {
    const failing = { ...code('throw new Error("bad")', 'runOnceForEachItem'), onError: 'continueRegularOutput' as const };
    expect(output(await run(chain(start, failing), items({ x: 1 }, { x: 2 })), 'Code')).toEqual([
      { error: 'bad [line 1]' },
      { error: 'bad [line 1]' },
    ]);
  });

  test('Python is refused before the run', async () => {
    const python = node('Snake', 'code', 2, { language: 'pythonNative', mode: 'runOnceForAllItems', pythonCode: 'return []' });
    await expect(run(chain(start, python))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/"Snake".*Python/),
      fix: { example: { testData: { pinned: { Snake: [{ json: {} }] } } } },
    });
    expect(output(await run(chain(start, python, setField('After', 'ok', 'yes')), { pinned: { Snake: [{ json: {} }] } }), 'After')).toEqual(
      [{ ok: 'yes' }],
    );
  });
});
