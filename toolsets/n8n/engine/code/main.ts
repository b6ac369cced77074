/**
 * A process that runs the scripts of Code nodes: an empty environment, no files but n8n's own packages, no network, no processes,
 * limits on memory and time. What n8n's helpers do for a script, the engine does. A process that misbehaves is killed by its pool.
 */
import { packRequire, type WorkflowPackage } from '../child/packages.ts';
import { Requests } from '../child/requests.ts';
import type { FromCode, HelperOutcome, ToCode } from '../protocol.ts';
import { closeProcess } from './isolation.ts';
import { runScript } from './script.ts';

const [, , packFolder = '', timeout = '60000'] = process.argv;
const require = packRequire(packFolder);
const workflow = require('n8n-workflow') as WorkflowPackage;
const send = process.send?.bind(process) as ((message: FromCode) => void) | undefined;
const helpers = new Requests<HelperOutcome>();

process.on('message', (message: ToCode) => {
  if (message.kind === 'helper-done') return helpers.answer(message.call, message.outcome);
  const { task } = message;
  void runScript(message.code, {
    workflow,
    timeoutMs: Number(timeout),
    load: (name) => opened(() => require(name)),
    async helper(name, parameters) {
      const outcome = await helpers.ask((call) => send?.({ kind: 'helper', task, call, name, parameters }));
      if (outcome.ok) return outcome.value;
      throw Object.assign(new Error(outcome.error.message), outcome.error);
    },
  }).then((outcome) => send?.({ kind: 'done', task, outcome }));
});
process.on('disconnect', () => process.exit(0));
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
const opened = closeProcess();
send?.({ kind: 'ready' });
