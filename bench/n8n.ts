// node bench/n8n.ts [rounds]: the n8n toolset side by side with n8n-mcp, over stdio, on the same questions and the same files.
// n8n-mcp is installed only for this, into a cache outside the checkout; the workflows are the ones it ships for searching.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { openMillrace } from '../test/harness/millrace.ts';
import { sharedCache } from '../test/harness/n8n-pack.ts';
import { LAUNCHER } from '../test/harness/package.ts';
import { installN8nPack } from '../toolsets/n8n/catalogue/pack/install.ts';
import { median, percentile, table } from './measure.ts';

const PEER_VERSION = '2.87.0';
const STARTS = Number(process.argv[2] ?? 5);
const FILES = 100;
const WORDS =
  'mail table sheet chat bot file drive crm lead image video text queue event issue task calendar note page form list user order invoice payment customer ticket message row contact'.split(
    ' ',
  );
/** No question is asked twice: both servers have to search. */
const QUERIES = WORDS.flatMap((word, at) => [word, ...[1, 5, 11].map((step) => `${word} ${WORDS[(at + step) % WORDS.length]}`)]);
function pairs(...steps: number[]): string[] {
  return steps.flatMap((step) => WORDS.map((word, at) => `${word} ${WORDS[(at + step) % WORDS.length]}`));
}

/** Both servers get these first: a server that has just started is slower at everything. */
const FIRST_QUERIES = pairs(2, 3, 7, 13, 17, 19, 23, 29);
const LATER_QUERIES = pairs(4, 8, 9, 14);

const home = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const workspace = join(home, 'workspace');

/** The database driver of n8n-mcp sometimes crashes Node 24, so it runs on an older Node if the machine has one. */
function peerNode(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, 'node');
    if (!existsSync(candidate)) continue;
    const major = Number(execFileSync(candidate, ['-p', 'process.versions.node']).toString().split('.')[0]);
    if (major >= 20 && major < 24) return candidate;
  }
  return process.execPath;
}

/** Installed once, its database driver built for its Node. */
function installPeer(node: string): string {
  const version = execFileSync(node, ['-p', 'process.versions.modules']).toString().trim();
  const folder = join(sharedCache(), 'bench', `n8n-mcp-${PEER_VERSION}-abi${version}`);
  const script = join(folder, 'node_modules/n8n-mcp/dist/mcp/index.js');
  if (!existsSync(join(folder, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { 'n8n-mcp': PEER_VERSION } }));
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`, npm_config_nodedir: dirname(dirname(node)) };
    const quiet = { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] };
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], quiet);
    execFileSync('npm', ['rebuild', 'better-sqlite3', '--loglevel=error'], quiet);
  }
  return script;
}

/** Complete workflows from n8n-mcp's own collection, without those whose parameters were blanked: they say nothing about validation. */
function publicWorkflows(peer: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(dirname(peer), '../../data/nodes.db'), { readOnly: true });
  const rows = database.prepare('SELECT workflow_json_compressed AS json FROM templates ORDER BY workflow_id').all() as {
    json: string | null;
  }[];
  const workflows: Record<string, unknown>[] = [];
  for (const { json } of rows) {
    if (json === null || workflows.length >= FILES) continue;
    const workflow = JSON.parse(gunzipSync(Buffer.from(json, 'base64')).toString()) as { nodes: { parameters?: object }[] };
    const blank = workflow.nodes.filter((node) => Object.keys(node.parameters ?? {}).length === 0).length;
    if (blank / workflow.nodes.length < 0.3) workflows.push({ ...workflow });
  }
  return workflows;
}

interface Contender {
  command: string;
  args: string[];
  env: Record<string, string>;
}

interface Connected {
  client: Client;
  pid: number;
  milliseconds: number;
}

async function connect({ command, args, env }: Contender): Promise<Connected> {
  const started = performance.now();
  const transport = new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  await client.listTools();
  return { client, pid: transport.pid as number, milliseconds: performance.now() - started };
}

const residentOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const rows: string[][] = [];
const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
function row(what: string, ours: number, theirs: number | undefined, unit: (value: number) => string, wanted: string): void {
  rows.push([
    what,
    unit(ours),
    theirs === undefined ? '–' : unit(theirs),
    theirs === undefined ? '' : `${(ours / theirs).toFixed(2)}×`,
    wanted,
  ]);
}

await installN8nPack({ home: sharedCache() });
const peer = peerNode();
const peerScript = installPeer(peer);
const workflows = publicWorkflows(peerScript);
mkdirSync(join(home, 'home'), { recursive: true });
mkdirSync(join(workspace, 'workflows'), { recursive: true });
symlinkSync(join(sharedCache(), 'engines'), join(home, 'home/engines'));
writeFileSync(join(workspace, 'workflows/five.json'), JSON.stringify(fiveNodes()));
const plain = { PATH: process.env['PATH'] ?? '', HOME: home };
const ours: Contender = {
  command: process.execPath,
  args: [LAUNCHER, '--toolsets', 'n8n'],
  env: {
    ...plain,
    MILLRACE_HOME: join(home, 'home'),
    MILLRACE_WORKSPACE: workspace,
    MILLRACE_LOG_LEVEL: 'error',
    MILLRACE_RATE_LIMITS: 'off',
  },
};
const theirs: Contender = {
  command: peer,
  args: [peerScript],
  env: { ...plain, MCP_MODE: 'stdio', LOG_LEVEL: 'error', DISABLE_CONSOLE_OUTPUT: 'true', N8N_MCP_TELEMETRY_DISABLED: 'true' },
};

try {
  const starts = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    for (const [who, contender] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      const { client, milliseconds } = await connect(contender);
      starts[who].push(milliseconds);
      await client.close();
    }
  }
  row('cold start to tools/list', median(starts.ours), median(starts.theirs), ms, '≤ 0.50×');

  const [a, b] = [await connect(ours), await connect(theirs)];
  row('resident memory after the start', residentOf(a.pid), residentOf(b.pid), (value) => `${value.toFixed(0)} MB`, '≤ 1.00×');
  const asked = async (queries: string[], { inTurn } = { inTurn: true }) => {
    const searches = { ours: [] as number[], theirs: [] as number[] };
    const ask = {
      ours: (query: string) => a.client.callTool({ name: 'node_search', arguments: { keyword: query } }),
      theirs: (query: string) => b.client.callTool({ name: 'search_nodes', arguments: { query } }),
    };
    const one = async (who: keyof typeof ask, query: string) => searches[who].push(await timed(() => ask[who](query)));
    if (inTurn) for (const query of queries) for (const who of ['ours', 'theirs'] as const) await one(who, query);
    else for (const who of ['ours', 'theirs'] as const) for (const query of queries) await one(who, query);
    return searches;
  };
  const first = await asked(FIRST_QUERIES);
  row(`node search, round trip, the first ${FIRST_QUERIES.length}, p50`, median(first.ours), median(first.theirs), ms, '');
  const searches = await asked(QUERIES);
  row('node search, round trip, asked in turn, p50', median(searches.ours), median(searches.theirs), ms, '≤ 0.25×');
  row('node search, round trip, asked in turn, p95', percentile(searches.ours, 95), percentile(searches.theirs, 95), ms, '');
  const alone = await asked(LATER_QUERIES, { inTurn: false });
  row('node search, round trip, one server after the other, p50', median(alone.ours), median(alone.theirs), ms, '≤ 0.25×');
  row('node search in the server, p50', await searchInside(), undefined, ms, '≤ 1 ms');

  const checks = { ours: [] as number[], theirs: [] as number[] };
  for (const workflow of [...workflows, ...workflows]) {
    checks.ours.push(await timed(() => a.client.callTool({ name: 'workflow_validate', arguments: { workflowData: workflow } })));
    checks.theirs.push(await timed(() => b.client.callTool({ name: 'validate_workflow', arguments: { workflow } }).catch(() => {})));
  }
  row(`validation of ${workflows.length} public workflows, twice, p50`, median(checks.ours), median(checks.theirs), ms, '≤ 0.20×');
  row('validation, p95', percentile(checks.ours, 95), percentile(checks.theirs, 95), ms, '');
  row('resident memory after all that', residentOf(a.pid), residentOf(b.pid), (value) => `${value.toFixed(0)} MB`, '≤ 1.00×');

  const run = () => a.client.callTool({ name: 'test_workflow', arguments: { workflowId: 'five', testData: { n: 1 } } });
  row('test_workflow of five nodes, first', await timed(run), undefined, ms, '≤ 3000 ms');
  const warm: number[] = [];
  for (let round = 0; round < 50; round++) warm.push(await timed(run));
  row('test_workflow of five nodes, warm, p50', median(warm.slice(10)), undefined, ms, '≤ 20 ms');
  await Promise.all([a.client.close(), b.client.close()]);
} finally {
  rmSync(home, { recursive: true, force: true });
}

process.stdout.write(table(['figure', 'Millrace', `n8n-mcp ${PEER_VERSION}`, 'ratio', 'wanted'], rows));

async function searchInside(): Promise<number> {
  const folder = join(home, 'inside');
  mkdirSync(join(folder, 'home'), { recursive: true });
  symlinkSync(join(sharedCache(), 'engines'), join(folder, 'home/engines'));
  const { call, close } = await openMillrace({ toolsets: ['n8n'], folder });
  const times: number[] = [];
  for (let round = 0; round < 5; round++) for (const keyword of QUERIES) times.push(await timed(() => call('node_search', { keyword })));
  await close();
  return median(times.slice(QUERIES.length));
}

function fiveNodes() {
  const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
    id: name,
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion,
    position: [0, 0],
    parameters,
  });
  const set = (name: string, field: string, value: string) =>
    node(name, 'set', 3.4, {
      assignments: { assignments: [{ id: field, name: field, value, type: 'string' }] },
      includeOtherFields: true,
      options: {},
    });
  const conditions = {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
    conditions: [{ id: '1', leftValue: '={{ $json.n }}', rightValue: 0, operator: { type: 'number', operation: 'gt' } }],
    combinator: 'and',
  };
  const names = ['Start', 'First', 'If', 'Second', 'End'];
  const nodes = [
    node('Start', 'manualTrigger', 1, {}),
    set('First', 'a', '={{ $json.n }}'),
    node('If', 'if', 2.2, { conditions, options: {} }),
    set('Second', 'b', '={{ $json.a }}'),
    node('End', 'noOp', 1, {}),
  ];
  const connections = Object.fromEntries(
    names.slice(0, -1).map((name, at) => [name, { main: [[{ node: names[at + 1], type: 'main', index: 0 }]] }]),
  );
  return { id: 'five', name: 'five', nodes, connections, settings: { executionOrder: 'v1' } };
}
