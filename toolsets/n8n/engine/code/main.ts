/** A process that runs the scripts of Code nodes, with no environment, network, processes or files but n8n's own packages. */

import dgram from 'node:dgram';
import dns from 'node:dns';
import module, { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { serverChannel } from '../confinement/server-channel.ts';
import { packRequire, type WorkflowPackage } from '../n8n-packages.ts';
import type { FromCode, HelperOutcome, ToCode } from '../protocol.ts';
import { Requests } from '../protocol.ts';
import { runScript } from './script.ts';

const [, , packFolder = '', timeout = '60000'] = process.argv;
const require = packRequire(packFolder);
const workflow = require('n8n-workflow') as WorkflowPackage;
// bubblewrap names the folder it starts in.
for (const name of Object.keys(process.env)) delete process.env[name];
const channel = serverChannel<FromCode, ToCode>(heard);
const helpers = new Requests<HelperOutcome>();

function heard(message: ToCode): void {
  if (message.kind === 'helper-done') return void helpers.answer(message.call, message.outcome);
  const { task } = message;
  void runScript(message.code, {
    workflow,
    timeoutMs: Number(timeout),
    load: (name) => opened(() => require(name)),
    async helper(name, parameters) {
      const outcome = await helpers.ask((call) => void channel.send({ kind: 'helper', task, call, name, parameters }));
      if (outcome.ok) return outcome.value;
      throw Object.assign(new Error(outcome.error.message), outcome.error);
    },
  }).then((outcome) => {
    if (!channel.send({ kind: 'done', task, outcome }))
      channel.send({
        kind: 'done',
        task,
        outcome: { ok: false, error: { message: 'The script returned more data than fits here' }, logs: [] },
      });
  });
}

process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
const opened = closeProcess();
channel.ready();

/** Closes what a script could misuse outside its context: network, modules, Node's insides. Returns how to load an allowed module. */
export function closeProcess(): <Result>(load: () => Result) => Result {
  const refused = () => {
    throw new Error('Code nodes have no network here');
  };
  Object.assign(net.Socket.prototype, { connect: refused });
  Object.assign(net.Server.prototype, { listen: refused });
  Object.assign(dgram, { createSocket: refused });
  Object.assign(dns, { lookup: refused, resolve: refused });
  Object.assign(dns.promises, { lookup: refused, resolve: refused });
  syncBuiltinESMExports();
  let isOpen = false;
  const refuse = () => {
    throw new Error('Code nodes cannot load modules here');
  };
  module.registerHooks({
    resolve: (specifier, context, next) => (isOpen ? next(specifier, context) : refuse()),
    load: (url, context, next) => (isOpen ? next(url, context) : refuse()),
  });
  for (const name of ['binding', '_linkedBinding', 'getBuiltinModule', 'dlopen', 'kill']) {
    Object.defineProperty(process, name, { value: undefined, configurable: false, writable: false });
  }
  for (const name of ['fetch', 'WebSocket', 'EventSource'])
    Object.defineProperty(globalThis, name, { value: undefined, configurable: false });
  return (load) => {
    isOpen = true;
    try {
      return load();
    } finally {
      isOpen = false;
    }
  };
}
