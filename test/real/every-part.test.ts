// Every tool through the installed package with its real parts, and every chunk of the bundle loaded on the way.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRealFlowise } from '../../scripts/real-flowise.ts';
import { type RealN8n, startRealN8n } from '../../scripts/real-n8n.ts';
import { sharedPackHome } from '../harness/n8n-pack.ts';
import { docxFile, pdfFile } from '../harness/office-files.ts';
import { LAUNCHER, launcher, PACKAGE } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernMeta, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { PlainApi } from './flowise-api.ts';
import { agentflowFunction } from './flowise-flows.ts';
import { type StandInModel, startModel } from './flowise-model.ts';
import { type ModelProviders, SPOKEN, startModelProviders } from './model-providers.ts';

const folder = temporaryFolder();
const coverage = join(folder.path, 'coverage');
const workspace = join(folder.path, 'workspace');
let flowise: Awaited<ReturnType<typeof startRealFlowise>>;
let n8n: RealN8n;
let model: StandInModel;
let providers: ModelProviders;
let env: Record<string, string>;

beforeAll(async () => {
  mkdirSync(join(workspace, 'docs'), { recursive: true });
  writeFileSync(
    join(workspace, 'docs/orders.md'),
    '# Checkout\n\nThe Checkout Service publishes orders to Kafka. Billing consumes Kafka.\n',
  );
  writeFileSync(join(workspace, 'docs/plan.pdf'), pdfFile(['The Billing Service uses PostgreSQL.']));
  writeFileSync(
    join(workspace, 'docs/notes.docx'),
    docxFile([{ text: 'Refunds', style: 'Heading1' }, { text: 'Refunds take five days.' }]),
  );
  writeFileSync(join(workspace, 'flowrag.config.json'), JSON.stringify({ docs: './docs', data: './data' }));
  mkdirSync(join(workspace, 'contexts/skills/greet'), { recursive: true });
  writeFileSync(
    join(workspace, 'contexts/skills/greet/SKILL.md'),
    '---\nname: greet\ndescription: Greet a new colleague\n---\n\nSay hello.\n',
  );
  writeFileSync(
    join(workspace, 'questions.jsonl'),
    `${JSON.stringify({ question: 'Which database does billing use?', documents: ['plan.pdf'] })}\n`,
  );
  const pack = sharedPackHome();
  if (pack) cpSync(join(pack, 'engines'), join(folder.path, 'home/engines'), { recursive: true });
  [flowise, n8n, model, providers] = await Promise.all([startRealFlowise(), startRealN8n(), startModel(), startModelProviders()]);
  await new PlainApi(flowise.url, flowise.apiKey).credential();
  env = cleanEnvironment(folder.path, {
    MILLRACE_RATE_LIMITS: 'off',
    NODE_V8_COVERAGE: coverage,
    FLOWISE_API_URL: flowise.url,
    FLOWISE_API_KEY: flowise.apiKey,
    FLOWISE_MODEL_INPUTS: JSON.stringify({ basepath: model.url }),
    N8N_API_URL: n8n.url,
    N8N_API_KEY: n8n.apiKey,
  });
});
afterAll(async () => {
  await Promise.all([flowise?.stop(), n8n?.stop(), model?.close(), providers?.close()]);
  folder[Symbol.dispose]();
});

/** Chunks that no scenario here can load under the eyes of V8's coverage, and why that is not a gap. */
const ELSEWHERE = [
  { chunks: /^index\.js$/, why: 'the library: every in-process suite imports it' },
  {
    chunks: /^chunks\/(n8n\/|embedding-session\.)/,
    why: 'programs that are killed or confined: the runs and searches above went through them',
  },
  { chunks: /^chunks\/package-lock-/, why: 'read while an engine is installed: the tests of the engine commands do that' },
  { chunks: /^chunks\/token(-util)?-/, why: "sign-in to one cloud provider's gateway, which the AI SDK brings and we never call" },
];

type Result = Record<string, never> & { [key: string]: unknown };

/** A server over stdio whose every call has to succeed. */
class Calls {
  readonly server: StdioProcess;
  readonly called = new Set<string>();

  constructor(more: Record<string, string> = {}) {
    this.server = new StdioProcess([LAUNCHER], { ...env, ...more }, workspace);
  }

  async call(tool: string, parameters: object = {}): Promise<Result> {
    const { result, error } = await this.server.callTool(tool, parameters, {}, {});
    if (error || result?.isError) throw new Error(`${tool}: ${JSON.stringify(error ?? result?.structuredContent)} ${this.server.stderr}`);
    this.called.add(tool);
    return result?.structuredContent as Result;
  }
}

/** What a process has written so far. */
function text(child: ChildProcess): () => string {
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (written += chunk));
  return () => written;
}

async function command(program: 'millrace' | 'flowrag', ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [launcher(program), ...args], { env, cwd: workspace });
  return stdout + stderr;
}

const SCENARIO: Record<string, (calls: Calls) => Promise<void>> = {
  async todo(calls) {
    const { todo } = await calls.call('create_todo', { title: 'Call the dentist', due: 'friday 5pm' });
    const { id } = todo as unknown as { id: string };
    await calls.call('create_todos', { todos: [{ title: 'One' }, { title: 'Two' }] });
    await calls.call('update_todo', { id, priority: 'high' });
    expect(await calls.call('read_todos')).toMatchObject({ total: 3 });
    await calls.call('delete_todo', { id });
  },

  async flowrag(calls) {
    expect(await calls.call('flowrag_index')).toMatchObject({ documents: 3 });
    for (const [query, answer] of [
      ['Which database does billing use?', 'PostgreSQL'],
      ['How long do refunds take?', 'five days'],
    ])
      expect(JSON.stringify(await calls.call('flowrag_search', { query }))).toContain(answer);
    await calls.call('flowrag_entities');
    await calls.call('flowrag_relations', { entity: 'Kafka' });
    await calls.call('flowrag_trace', { entity: 'Kafka', direction: 'upstream' });
    await calls.call('flowrag_path', { from: 'Checkout', to: 'Kafka' });
    expect(await calls.call('flowrag_stats')).toMatchObject({ documents: 3 });
  },

  async flowise(calls) {
    const { id: chatflow_id } = await calls.call('create_chatflow', { name: 'Echo', flow_data: agentflowFunction(), deployed: true });
    expect(JSON.stringify(await calls.call('list_chatflows'))).toContain('Echo');
    const { updatedDate } = await calls.call('get_chatflow', { chatflow_id });
    await calls.call('update_chatflow', { chatflow_id, name: 'Echo again', expected_updated_date: updatedDate });
    await calls.call('deploy_chatflow', { chatflow_id, deployed: true });
    const run = await calls.call('run_prediction', { chatflow_id, question: 'hello' });
    expect(JSON.stringify(run)).toContain('ECHO: hello');
    await calls.call('get_prediction_result', { chatflow_id, chat_id: run.chatId });
    await calls.call('generate_agentflow_v2', { description: 'Translate text from one language to another' });
    await calls.call('delete_chatflow', { chatflow_id });
    await calls.call('restore_chatflow', { chatflow_id });
  },

  async n8n(calls) {
    const workflowId = 'Double';
    await calls.call('workflow_create', { name: workflowId });
    await calls.call('node_search', { keyword: 'code' });
    const { nodeId: sourceNodeId } = await calls.call('node_add', { workflowId, nodeType: 'n8n-nodes-base.manualTrigger' });
    const jsCode = 'return items.map((item) => ({ json: { n: item.json.n * 2 } }));';
    const { nodeId } = await calls.call('node_add', { workflowId, nodeType: 'n8n-nodes-base.code', parameters: { jsCode } });
    await calls.call('connection_create', { workflowId, sourceNodeId, targetNodeId: nodeId });
    const run = await calls.call('test_workflow', { workflowId, testData: { items: [{ n: 21 }] } });
    expect(JSON.stringify(run)).toContain('"n":42');
    await calls.call('node_update', { workflowId, nodeId, name: 'Doubling' });
    expect(await calls.call('workflow_validate', { workflowId })).toMatchObject({ valid: true });
    await calls.call('workflow_repair', { workflowId, dryRun: true });
    await calls.call('workflow_diagram', { workflowId });
    await calls.call('workflow_list');
    const { workflowData } = await calls.call('workflow_load', { workflowIdOrPath: workflowId });
    const copy = { ...(workflowData as unknown as object), name: 'Copy' };
    await calls.call('workflow_save', { workflowId: 'Copy', workflowData: copy, filePath: 'copy.json' });
    const { remoteId } = await calls.call('workflow_deploy', { workflowId });
    await calls.call('workflow_pull', { remoteId });
    await calls.call('workflow_executions', { workflowId });
    await calls.call('workflow_activate', { workflowId, active: false });
    await calls.call('node_replace', { workflowId, targetNodeId: nodeId, newNodeType: 'n8n-nodes-base.set' });
    await calls.call('connection_remove', { workflowId, sourceNodeId, targetNodeId: 'Doubling' });
    await calls.call('node_remove', { workflowId, nodeId: 'Doubling' });
    await calls.call('workflow_undo', { workflowId });
  },

  async flowmind(calls) {
    await calls.call('field_request', { query: 'Review the pull request that I opened this morning', confidence_level: 0.8 });
    const { result } = await calls.call('list_available_contexts', { filter: { type: ['workflow'] } });
    const [first, second] = (result as unknown as { contexts: { uri: string }[] }).contexts;
    await calls.call('execute_workflow', { workflow_uri: first?.uri, dry_run: true });
    const condition = 'the customer is happy';
    await calls.call('evaluate_semantic_condition', { condition, context: { user_message: 'I love it, thank you so much!' } });
    const components = [
      { uri: first?.uri, role: 'primary' },
      { uri: second?.uri, role: 'support' },
    ];
    await calls.call('compose_workflow', { name: 'both', components, flow_type: 'sequential' });
    await calls.call('get_help', { help_type: 'usage', specific_question: 'How do I run a workflow?' });
  },
};

describe('the installed package with its real parts', () => {
  const called = new Set<string>();

  test.each(Object.keys(SCENARIO))('%s: every tool answers', async (toolset) => {
    const calls = new Calls({ MILLRACE_RATE_LIMITS: toolset === 'flowmind' ? 'on' : 'off' });
    await SCENARIO[toolset]?.(calls);
    for (const tool of calls.called) called.add(tool);
    expect(await calls.server.close()).toBe(0);
  });

  test('no tool was left out', async () => {
    const { server } = new Calls();
    const { result = {} } = await server.request('tools/list', { _meta: modernMeta() });
    const names = (result.tools as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => !called.has(name))).toEqual([]);
    await server.close();
  });

  test('on Postgres: todos, documents and requests', async (context) => {
    const database = process.env.TEST_DATABASE_URL;
    if (!database) return context.skip('no Postgres is installed here');
    const own = `millrace_parts_${process.pid}`;
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await client.query(`create database ${own}`);
    await client.end();
    const url = new URL(database);
    url.pathname = own;
    const calls = new Calls({ DATABASE_URL: url.href, MILLRACE_TOKEN: 'a-token-of-the-tests', MILLRACE_RATE_LIMITS: 'on' });
    await SCENARIO.todo?.(calls);
    await SCENARIO.flowrag?.(calls);
    await SCENARIO.flowmind?.(calls);
    expect(await calls.server.close()).toBe(0);
  });

  test.each(['gemini', 'bedrock', 'anthropic', 'openai'])('%s embeds, extracts and talks', async (provider) => {
    const config = join(workspace, `${provider}.json`);
    const before = env;
    env = { ...env, ...providers.environment, MILLRACE_MODEL_PROVIDER: provider };
    const embedder = { provider: provider === 'anthropic' ? 'local' : provider };
    writeFileSync(config, JSON.stringify({ docs: './docs', data: `./data-${provider}`, embedder, extractor: { provider } }));
    await command('flowrag', 'index', '--config', config);
    expect(await command('flowrag', 'entities', '--config', config)).toContain('Checkout');
    expect(await command('millrace', 'chat', '-m', 'hello there')).toContain(SPOKEN);
    env = before;
    expect(providers.paths.some((path) => path.startsWith(`/${provider}/`))).toBe(true);
  });

  test.each([
    ['--help'],
    ['--version'],
    ['doctor'],
    ['init', '--yes'],
    ['user', 'add', 'ada'],
    ['user', 'list'],
    ['audit'],
    ['connect', 'claude'],
    ['engine', 'list'],
    ['session', 'list'],
    ['context', 'schema'],
    ['context', 'lint', 'contexts'],
    ['n8n', 'test'],
    ['flowrag', 'search', 'Which database does billing use?'],
    ['flowrag', 'eval', 'questions.jsonl'],
  ])('millrace %s %s', async (...words) => {
    expect(await command('millrace', ...words.filter((word) => word !== undefined))).not.toBe('');
  });

  test('flowrag index --watch sees a new document and ends when it is asked to', async () => {
    const watching = spawn(process.execPath, [launcher('flowrag'), 'index', '--watch'], { env, cwd: workspace });
    const output = text(watching);
    await expect.poll(output, { timeout: 60_000 }).toContain('Watching');
    writeFileSync(join(workspace, 'docs/late.md'), '# Late\n\nLate Service uses Redis.\n');
    await expect.poll(() => command('flowrag', 'stats'), { timeout: 60_000, interval: 1_000 }).toMatch(/Documents: +4/i);
    watching.kill('SIGTERM');
    await once(watching, 'exit');
  });

  test('over HTTP, with a JWT of an issuer that cannot be reached', async () => {
    const token = 'a-token-of-the-tests';
    const more = {
      MILLRACE_TOKEN: token,
      MILLRACE_PORT: '0',
      MILLRACE_JWT_ISSUER: 'http://127.0.0.1:9',
      MILLRACE_JWT_AUDIENCE: 'millrace',
    };
    const server = await new HttpProcess([LAUNCHER, 'serve'], { ...env, ...more }).listening();
    const post = (bearer: string) =>
      fetch(`${server.url}/mcp/tools`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: '{}',
      });
    expect((await post(token)).status).toBe(200);
    expect((await post('eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJ4In0.c2ln')).ok).toBe(false);
    const chat = await fetch(`${server.url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'show my todos' }),
    });
    expect(chat.status).toBe(200);
    await chat.text();
    expect(await server.stop()).toBe(0);
  });

  test('flowrag-mcp', async () => {
    const server = new StdioProcess([launcher('flowrag-mcp'), '--docs', 'docs', '--data', 'data'], env, workspace);
    const { result = {} } = await server.request('tools/list', { _meta: modernMeta() });
    expect(result.tools).toHaveLength(7);
    expect(await server.close()).toBe(0);
  });

  test('every chunk of the bundle was loaded on the way', () => {
    const loaded = new Set(readdirSync(coverage).flatMap((file) => loadedFiles(join(coverage, file))));
    const chunks = globSync('{*,chunks/**/*}.js', { cwd: PACKAGE });
    expect(chunks.filter((chunk) => !loaded.has(chunk) && !ELSEWHERE.some(({ chunks: pattern }) => pattern.test(chunk)))).toEqual([]);
  });
});

function loadedFiles(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: { url: string }[] };
  return result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => relative(PACKAGE, fileURLToPath(url)));
}
