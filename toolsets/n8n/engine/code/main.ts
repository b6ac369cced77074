/**
 * A process that runs the scripts of Code nodes: an empty environment, no files but n8n's own packages, no network, no processes,
 * limits on memory and time. One script after the other; a process that misbehaves is killed by its pool.
 */
import { packRequire, type WorkflowPackage } from '../child/packages.ts';
import type { FromCode, ToCode } from '../protocol.ts';
import { closeProcess } from './isolation.ts';
import { runScript } from './script.ts';

const [, , packFolder = '', timeout = '60000'] = process.argv;
const workflow = packRequire(packFolder)('n8n-workflow') as WorkflowPackage;
const send = process.send?.bind(process) as ((message: FromCode) => void) | undefined;

process.on('message', (message: ToCode) => {
  void runScript(message.task, { workflow, timeoutMs: Number(timeout) }).then((outcome) => send?.({ kind: 'done', outcome }));
});
process.on('disconnect', () => process.exit(0));
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
closeProcess();
send?.({ kind: 'ready' });
