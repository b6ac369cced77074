/** A process of the embedded n8n engine, cut off by its pool from every file, process and secret of the machine. */
import fs from 'node:fs';
import { serverChannel } from '../confinement/server-channel.ts';
import { loadPackages } from '../n8n-packages.ts';
import { helperError } from '../node-run.ts';
import type { CallAnswer, CodeOutcome, FromEngine, HelperOutcome, HelperRequest, ToEngine } from '../protocol.ts';
import { Requests } from '../protocol.ts';
import { type Helper, plainScript } from './additional-data.ts';
import { Execution, type ExecutionPorts } from './execution.ts';
import { EngineNodeTypes } from './node-types.ts';
import { SeenItems } from './seen-items.ts';
import { offerSqlSandbox } from './sql-sandbox.ts';
import { openWayOut } from './way-out.ts';

const [, , packFolder = '', ownFolder = '', proxy = ''] = process.argv;

Object.assign(process.env, {
  HOME: ownFolder,
  N8N_USER_FOLDER: ownFolder,
  N8N_ENCRYPTION_KEY: crypto.randomUUID(),
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_LOG_LEVEL: 'silent',
  N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
  N8N_RESTRICT_FILE_ACCESS_TO: ownFolder,
  N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
  NODE_ENV: 'production',
});

const wayOut = await openWayOut(proxy);
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) process.env[name] = wayOut;

const exists = fs.existsSync;
// n8n looks for signs of a container: a file that may not be seen is a file that is not there.
fs.existsSync = (path) => {
  try {
    return exists(path);
  } catch {
    return false;
  }
};

const packages = loadPackages(packFolder);
const seen = new SeenItems();
void packages.core.DataDeduplicationService?.init(seen);
const scripts = new Requests<CodeOutcome>();
const calls = new Requests<CallAnswer>();
/** The run that this process is at; it does one at a time. */
let current = '';
/** Scripts that may ask for something: by whose run, and who does it. */
const running = new Map<number, { executionId: string; helper: Helper }>();
const ports: ExecutionPorts = {
  packages,
  nodeTypes: new EngineNodeTypes(packages),
  send,
  runCode: (executionId, code, helper) =>
    scripts.ask((task) => {
      running.set(task, { executionId, helper });
      send({ kind: 'code', executionId, task, code });
    }),
  planCall: (executionId, request) => calls.ask((task) => send({ kind: 'call', executionId, task, request })),
};

const channel = serverChannel<FromEngine, ToEngine>(heard);

function send(message: FromEngine): void {
  channel.send(message);
}

offerSqlSandbox(async (script, globals) => {
  const outcome = await ports.runCode(current, plainScript(script, globals), async () => {
    throw new Error('SQL has no helpers');
  });
  if (outcome.ok) return outcome.result;
  throw new Error(outcome.error.message.replace(/ \[line \d+\]$/, ''));
});

function heard(message: ToEngine): void {
  if (message.kind === 'code-done') {
    running.delete(message.task);
    scripts.answer(message.task, message.outcome);
  } else if (message.kind === 'helper') void help(message);
  else if (message.kind === 'call-planned') calls.answer(message.task, message.answer);
  else {
    current = message.order.executionId;
    seen.forget();
    void new Execution(message.order, ports).run();
  }
}

async function help({ task, call, name, parameters }: HelperRequest): Promise<void> {
  const script = running.get(task);
  if (!script) return;
  const outcome = await script.helper(name, parameters).then(
    (value): HelperOutcome => ({ ok: true, value }),
    (error: unknown): HelperOutcome => ({ ok: false, error: helperError(error) }),
  );
  send({ kind: 'helper-done', executionId: script.executionId, task, call, outcome });
}

// A node that throws where nobody listens must not take the process with it: the run itself says what failed.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
channel.ready();
