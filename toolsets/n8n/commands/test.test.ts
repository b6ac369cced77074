import type { Terminal } from '@millrace/kernel';
import { expect, test } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { type N8nBench, n8nBench, noPack, smallPack } from '../testing/bench.ts';
import { testCommand } from './test.ts';

/** Doubles the number of each item; fails on an item without one. */
const doubling: Engine = {
  ready: async () => ({ available: true, version: 'test' }),
  async run(_workflow, { items = [] }) {
    const failed = items.some((item) => typeof item.json['n'] !== 'number');
    const outputs = [items.map((item) => ({ json: { n: Number(item.json['n']) * 2, at: Math.random() } })), []];
    return {
      executionId: '1',
      status: failed ? 'error' : 'success',
      runs: failed ? [] : [{ node: 'Double', order: 0, status: 'success', executionTime: 1, outputs }],
      ...(failed && { error: { node: 'Double', message: 'n is missing' } }),
      logs: [],
      executionTime: 1,
      where: 'embedded',
    };
  },
};

async function run(n8n: N8nBench, positionals: string[] = [], values: Record<string, boolean> = {}) {
  const lines: string[] = [];
  const terminal: Terminal = {
    program: 'millrace',
    out: (text) => void lines.push(text),
    say: (text) => void lines.push(text),
    status: () => {},
    progress: () => () => {},
    interactive: false,
    columns: 80,
    signal: new AbortController().signal,
  };
  const code = await testCommand.run({ positionals, values }, terminal, n8n.toolset.services);
  return { code, lines };
}

const bench = async () => {
  const n8n = await n8nBench({ pack: { ...smallPack, engine: doubling } });
  n8n.write('double.json', { name: 'Double', nodes: [], connections: {}, id: 'w1' });
  return n8n;
};

test('compares what each named node gives with what is expected', async () => {
  const n8n = await bench();
  n8n.write('double.test.json', {
    tests: [
      {
        name: 'doubles',
        testData: { items: [{ n: 2 }, { n: 3 }] },
        expect: {
          nodes: {
            Double: [
              [
                { n: 4, at: { $type: 'number' } },
                { n: 6, at: { $any: true } },
              ],
              [],
            ],
          },
        },
      },
      { name: 'is wrong', testData: { n: 2 }, expect: { nodes: { Double: [[{ n: 5, at: { $any: true } }], []], Other: [[]] } } },
      { name: 'fails', testData: { x: 1 }, expect: { status: 'error' } },
      { name: 'fails unexpectedly', testData: { x: 1 }, expect: {} },
    ],
  });
  const { code, lines } = await run(n8n);
  expect(code).toBe(1);
  expect(lines).toEqual([
    'ok double.json: doubles (1 ms)',
    'FAILED double.json: is wrong (1 ms)',
    '  Double[0][0].n: expected 5, got 4',
    '  Other: did not run',
    'ok double.json: fails (1 ms)',
    'FAILED double.json: fails unexpectedly (1 ms)',
    '  status: expected success, got error (Double: n is missing)',
    '2 passed, 2 failed',
  ]);
  const json = await run(n8n, ['Double'], { json: true });
  expect(JSON.parse(json.lines[0] ?? '')).toMatchObject({ passed: 2, failed: 2 });
});

test('--update writes what happens now and keeps matchers that fit', async () => {
  const n8n = await bench();
  n8n.write('double.test.json', {
    tests: [{ name: 'doubles', testData: { n: 4 }, expect: { nodes: { Double: [[{ n: { $type: 'number' }, at: { $any: true } }], []] } } }],
  });
  const before = n8n.json('double.test.json');
  expect((await run(n8n, [], { update: true })).code).toBe(0);
  expect(n8n.json('double.test.json')).toMatchObject({
    tests: [{ expect: (before as never as { tests: { expect: object }[] }).tests[0]?.expect }],
  });
  n8n.write('new.json', { name: 'New', nodes: [], connections: {}, id: 'w2' });
  await expect(run(n8n, ['New'])).rejects.toThrow(
    expect.objectContaining({ message: 'w2 has no test', fix: { instruction: 'Make one', command: 'n8n test w2 --update' } }),
  );
  await run(n8n, ['New'], { update: true });
  expect(n8n.json('new.test.json')).toEqual({ tests: [{ name: 'runs', expect: { status: 'success', nodes: { Double: [[], []] } } }] });
  expect((await run(n8n)).code).toBe(0);
});

test('says what is missing', async () => {
  const none = await bench();
  expect(await run(none)).toMatchObject({ code: 0, lines: [expect.stringContaining('No workflow has a test')] });
  const broken = await bench();
  broken.write('double.test.json', { tests: [{ name: 'x' }] });
  await expect(run(broken)).rejects.toThrow('double.test.json is not a snapshot test: tests.0.expect');
  await expect(run(await n8nBench({ pack: noPack }))).rejects.toThrow(
    expect.objectContaining({ fix: { instruction: 'Install it', command: 'engine add n8n' } }),
  );
});
