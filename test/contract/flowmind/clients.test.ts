import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Envelope, Run } from '../../harness/flowmind-replies.ts';
import { LAUNCHER } from '../../harness/package.ts';
import { cleanEnvironment, StdioProcess, temporaryFolder } from '../../harness/process.ts';
import { verifies } from '../../requirements.ts';

const URI = 'workflow://meeting-to-todos';
const NOTES = 'Ann sends the offer by Friday. Bob books the room.';
const TASKS = [
  { title: 'Send the offer', priority: 'high' },
  { title: 'Book the room', priority: 'low' },
];
/** What the assistant answers to each step of the built-in context. */
const ANSWERS: Record<string, unknown> = {
  'Read the outcomes': 'Ann promised the offer, Bob the room',
  'Write the tasks': TASKS,
  'Write the minutes': 'Two promises were made',
};

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  env = cleanEnvironment(folder.path, { MILLRACE_TOOLSETS: 'flowmind,todo' });
});
afterEach(() => folder[Symbol.dispose]());

/** A client with a server process of its own. */
interface Connection {
  call(tool: string, parameters: Record<string, unknown>): Promise<unknown>;
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>;
  /** How often the person was asked. */
  asked: string[];
}

async function connectV2(): Promise<Connection> {
  const asked: string[] = [];
  const client = new Client(
    { name: 'v2', version: '2' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { answer: NOTES } };
  });
  const transport = new StdioClientTransport({ command: process.execPath, args: [LAUNCHER], env });
  await client.connect(transport);
  const call: Connection['call'] = async (name, parameters) => (await client.callTool({ name, arguments: parameters })).structuredContent;
  return { call, kill: () => killed(client, transport), asked };
}

async function connectV1(elicitation: boolean): Promise<Connection> {
  const asked: string[] = [];
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: elicitation ? { elicitation: {} } : {} });
  if (elicitation) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { answer: NOTES } };
    });
  }
  const transport = new StdioV1({ command: process.execPath, args: [LAUNCHER], env });
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  const call: Connection['call'] = async (name, parameters) => (await client.callTool({ name, arguments: parameters })).structuredContent;
  return { call, kill: () => killed(client, transport), asked };
}

/** The pipes of a killed server close: the client notices by itself. */
async function killed(client: { onclose?: (() => void) | undefined }, transport: { pid: number | null }): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  process.kill(transport.pid as number, 'SIGKILL');
  await closed;
}

function runOf(reply: unknown): Run {
  const { success, result } = reply as Envelope;
  expect(success, JSON.stringify(reply)).toBe(true);
  return result as Run;
}

/** Answers every step with what next_action says, by a new server after each reply that is named. */
async function toTheEnd(
  first: Run,
  connect: () => Promise<Connection>,
  connection: Connection,
  killAfter: readonly string[],
): Promise<Run> {
  let run = first;
  let server = connection;
  for (let round = 0; run.status !== 'completed' && round < 10; round++) {
    const step = run.current_step ?? '';
    if (killAfter.includes(step)) {
      await server.kill();
      server = await connect();
    }
    const value = run.status === 'awaiting_step' ? ANSWERS[step] : NOTES;
    const parameters = run.next_action?.parameters as Record<string, unknown>;
    run = runOf(await server.call('execute_workflow', { ...parameters, step_result: { question_id: run.question?.id, value } }));
  }
  const { todos } = (await server.call('read_todos', {})) as { todos: { title: string }[] };
  expect(todos.map((todo) => todo.title).sort()).toEqual(['Book the room', 'Send the offer']);
  await server.kill();
  return run;
}

const ENDED = { status: 'completed', output: { minutes: ANSWERS['Write the minutes'] } };
const ASKED = 'Paste the notes or the transcript of the meeting.';

verifies(
  ['kernel-ask', 'flowmind-execute-interactive', 'flowmind-execute-continue', 'flowmind-execute-session-durable'],
  'a 2026 client asks its person, and the session continues in new servers to its end',
  async () => {
    const client = await connectV2();
    const begun = runOf(await client.call('execute_workflow', { workflow_uri: URI }));
    expect(client.asked).toEqual([ASKED]);
    expect(begun).toMatchObject({ status: 'awaiting_step', current_step: 'Read the outcomes', variables: { notes: NOTES } });
    expect(await toTheEnd(begun, connectV2, client, ['Read the outcomes', 'Write the minutes'])).toMatchObject(ENDED);
  },
  60_000,
);

verifies(
  ['kernel-ask', 'flowmind-execute-interactive', 'flowmind-execute-continue', 'flowmind-execute-session-durable'],
  'a 2025 client asks its person while the call waits, and the session continues in new servers to its end',
  async () => {
    const connect = () => connectV1(true);
    const client = await connect();
    const begun = runOf(await client.call('execute_workflow', { workflow_uri: URI }));
    expect(client.asked).toEqual([ASKED]);
    expect(begun).toMatchObject({ status: 'awaiting_step', current_step: 'Read the outcomes', variables: { notes: NOTES } });
    expect(await toTheEnd(begun, connect, client, ['Write the tasks', 'Write the minutes'])).toMatchObject(ENDED);
  },
  60_000,
);

verifies(
  ['kernel-ask', 'flowmind-execute-interactive', 'flowmind-execute-continue', 'flowmind-execute-session-durable'],
  'a client that cannot ask gets the question and answers it by a further call, of a new server too',
  async () => {
    const connect = () => connectV1(false);
    const client = await connect();
    const begun = runOf(await client.call('execute_workflow', { workflow_uri: URI }));
    expect(begun).toMatchObject({ status: 'awaiting_answer', question: { text: ASKED } });
    await client.kill();
    expect(await toTheEnd(begun, connect, await connect(), ['Write the minutes'])).toMatchObject(ENDED);
  },
  60_000,
);

verifies(
  ['kernel-ask', 'flowmind-execute-interactive', 'flowmind-execute-continue', 'flowmind-execute-session-durable'],
  'a question that is open when the server is killed is answered at the next one, once',
  async () => {
    const first = new StdioProcess([LAUNCHER], env);
    const asked = await first.callTool('execute_workflow', { workflow_uri: URI });
    expect(asked.result).toMatchObject({ resultType: 'input_required' });
    await first.kill();
    const second = new StdioProcess([LAUNCHER], env);
    const [id = ''] = Object.keys((asked.result?.inputRequests ?? {}) as object);
    const answer = {
      inputResponses: { [id]: { action: 'accept', content: { answer: NOTES } } },
      requestState: asked.result?.requestState,
    };
    const begun = await second.callTool('execute_workflow', { workflow_uri: URI }, answer);
    const again = await second.callTool('execute_workflow', { workflow_uri: URI }, answer);
    const [run, same] = [begun, again].map(({ result }) => runOf(result?.structuredContent));
    expect(run).toMatchObject({ status: 'awaiting_step', current_step: 'Read the outcomes', variables: { notes: NOTES } });
    expect(same).toMatchObject({ session_id: run?.session_id, status: 'awaiting_step', current_step: 'Read the outcomes' });
    await second.close();
  },
  60_000,
);
