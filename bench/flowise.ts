// node bench/flowise.ts: what our tools add to a real Flowise, compared with a plain fetch of the same requests.
// --replayed runs only on replayed replies; --pairs skips the ten concurrent predictions and the thousand flows, which take minutes.

import type { TestMillrace } from '../test/harness/millrace.ts';
import { agentflowFunction, agentflowModel, chatflowFunction } from '../test/real/flowise-flows.ts';
import { flowiseTools, startInstance } from '../test/real/flowise-instance.ts';
import { type Recorded, ReplayedFlowise, recorded, type SeenRequest } from '../toolsets/flowise/testing/replay.ts';
import { median, table } from './measure.ts';
import { type Paired, paired } from './pairs.ts';

const ROUNDS = 200;
const REAL_PAIRS = 120;
const rows: string[][] = [];
const row = (what: string, figure: string, baseline: string, verdict: string, limit: string, cpu = '') =>
  rows.push([what, figure, baseline, verdict, cpu, limit]);
const span = (low: number, high: number) => `(${low.toFixed(2)} to ${high.toFixed(2)})`;
const ms = (value: number) => `${value.toFixed(2)} ms`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function plainly(url: string, key: string, requests: SeenRequest[]): Promise<void> {
  for (const { method, path, query, body } of requests) {
    const response = await fetch(`${url}/api/v1${path}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!/event-stream/.test(response.headers.get('content-type') ?? '')) JSON.parse(text);
  }
}

const CALLS: [tool: string, parameters: object, limit: number][] = [
  ['list_chatflows', {}, 3],
  ['get_chatflow', { chatflow_id: 'x' }, 3],
  ['create_chatflow', { name: 'x', flow_data: chatflowFunction() }, 3],
  ['update_chatflow', { chatflow_id: 'x', name: 'y' }, 3],
  ['deploy_chatflow', { chatflow_id: 'x', deployed: false }, 3],
  ['delete_chatflow', { chatflow_id: 'x' }, 3],
  ['run_prediction', { chatflow_id: 'x', question: 'hello world' }, 5],
];

/** Flowise's recorded replies come at once, so the remaining time is ours. */
async function ownShare(): Promise<void> {
  const flowise = await ReplayedFlowise.start({
    'GET /chatflows': recorded('list'),
    'GET /chatflows/*': recorded('get-agentflow'),
    'POST /chatflows': recorded('create'),
    'PUT /chatflows/*': recorded('update'),
    'DELETE /chatflows/*': recorded('delete'),
    'POST /prediction/*': recorded('predict-agentflow-stream') satisfies Recorded,
  });
  const tools = await flowiseTools({ FLOWISE_API_URL: flowise.url, FLOWISE_API_KEY: 'key-for-the-benchmark' });
  for (const [tool, parameters, limit] of CALLS) {
    await call(tools, tool, parameters);
    flowise.requests.length = 0;
    await call(tools, tool, parameters);
    const requests = [...flowise.requests];
    const share = await paired(
      ROUNDS,
      () => call(tools, tool, parameters),
      () => plainly(flowise.url, 'key', requests),
    );
    show(`${tool}: our share (${requests.length} requests, replayed)`, share, limit);
  }
  await tools.close();
  await flowise.close();
}

function show(what: string, { ours, plain, difference, low, high, cpu }: Paired, limit: number): void {
  row(what, ms(ours), ms(plain), `${ms(difference)} ${span(low, high)}`, `≤ ${limit} ms`, ms(cpu));
}

async function call(tools: TestMillrace, tool: string, parameters: object): Promise<{ text: string; structured: unknown }> {
  const reply = await tools.call(tool, parameters);
  if (reply.isError) throw new Error(reply.text);
  return reply;
}

async function onRealFlowise(): Promise<void> {
  const real = await startInstance();
  try {
    const { tools, api } = real;
    const { id } = (await call(tools, 'create_chatflow', { name: 'Echo', flow_data: agentflowFunction(), deployed: true })).structured as {
      id: string;
    };
    const send = (method: string, path: string, body?: object): SeenRequest => ({
      method,
      path,
      query: new URLSearchParams(),
      headers: {},
      body,
    });
    const look = send('GET', `/chatflows/${id}`);
    const sides: [string, object, SeenRequest[], number][] = [
      ['list_chatflows', {}, [send('GET', '/chatflows')], 3],
      ['get_chatflow', { chatflow_id: id }, [look], 3],
      ['update_chatflow', { chatflow_id: id, name: 'Echo' }, [look, send('PUT', `/chatflows/${id}`, { name: 'Echo' })], 3],
      [
        'run_prediction',
        { chatflow_id: id, question: 'x' },
        [look, send('POST', `/prediction/${id}`, { question: 'x', streaming: true })],
        5,
      ],
    ];
    for (const [tool, parameters, requests, limit] of sides) {
      const share = await paired(
        REAL_PAIRS,
        () => call(tools, tool, parameters),
        () => plainly(real.flowise.url, api.key, requests),
      );
      show(`${tool}: side by side on Flowise`, share, limit);
    }
    if (process.argv.includes('--pairs')) return;
    await tenAtOnce(real);
    await thousandFlows(real);
  } finally {
    await real.close();
  }
}

async function tenAtOnce({ tools, needs, api }: Awaited<ReturnType<typeof startInstance>>): Promise<void> {
  const flow = { name: 'Slow', flow_data: agentflowModel(needs), deployed: true };
  const { id } = (await call(tools, 'create_chatflow', flow)).structured as { id: string };
  const ours = (index: number) => call(tools, 'run_prediction', { chatflow_id: id, question: `SLOW2 ${index}` });
  const plain = (index: number) => api.send('POST', `/prediction/${id}`, { question: `SLOW2 ${index}`, streaming: true });
  for (const [who, run] of [
    ['ours', ours],
    ['plain fetch', plain],
  ] as const) {
    await run(0);
    const one = median([await timed(() => run(1)), await timed(() => run(2)), await timed(() => run(3))]);
    const all = () => Promise.all([...Array(10).keys()].map((index) => run(index)));
    const ten = median([await timed(all), await timed(all), await timed(all)]);
    row(`10 predictions at once, the model waits 2 s (${who})`, ms(ten), `${ms(one)} for one`, `${(ten / one).toFixed(2)}×`, '≤ 1.2×');
  }
}

async function thousandFlows({ tools, api }: Awaited<ReturnType<typeof startInstance>>): Promise<void> {
  const flowData = JSON.stringify({ nodes: [], edges: [], note: 'x'.repeat(50_000) });
  for (let made = 0; made < 1_000; made += 20) {
    await Promise.all(
      [...Array(20).keys()].map((index) => api.send('POST', '/chatflows', { name: `Flow ${made + index}`, type: 'CHATFLOW', flowData })),
    );
  }
  const ours: number[] = [];
  const plain: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 7; round++) {
    ours.push(await timed(async () => (bytes = Buffer.byteLength((await call(tools, 'list_chatflows', {})).text))));
    plain.push(
      await timed(async () => (await fetch(`${api.url}/api/v1/chatflows`, { headers: { authorization: `Bearer ${api.key}` } })).json()),
    );
  }
  row('listing 1,000 flows of 50 KB', ms(median(ours)), ms(median(plain)), `${(median(ours) / median(plain)).toFixed(2)}×`, '≤ 1.2×');
  row('… bytes to the assistant', `${(bytes / 1024).toFixed(0)} KB`, '49 MB', '', '≤ 200 KB');
}

await ownShare();
if (!process.argv.includes('--replayed')) await onRealFlowise();
process.stdout.write(table(['what', 'ours', 'plain fetch', 'difference (95 %)', 'CPU beyond', 'wanted'], rows));
