import dgram from 'node:dgram';
import dns from 'node:dns';
import module, { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Takes from this process what a script could misuse if it broke out of its context: the network, other modules, Node's insides.
 * Files, processes, threads and addons are already closed by Node's permission model.
 */
export function closeProcess(): void {
  const refused = () => {
    throw new Error('Code nodes have no network here');
  };
  Object.assign(net.Socket.prototype, { connect: refused });
  Object.assign(net.Server.prototype, { listen: refused });
  Object.assign(dgram, { createSocket: refused });
  Object.assign(dns, { lookup: refused, resolve: refused });
  Object.assign(dns.promises, { lookup: refused, resolve: refused });
  syncBuiltinESMExports();
  const closed = () => {
    throw new Error('Code nodes cannot load modules here');
  };
  module.registerHooks({ resolve: closed, load: closed });
  for (const name of ['binding', '_linkedBinding', 'getBuiltinModule', 'dlopen', 'kill']) {
    Object.defineProperty(process, name, { value: undefined, configurable: false, writable: false });
  }
  for (const name of ['fetch', 'WebSocket', 'EventSource'])
    Object.defineProperty(globalThis, name, { value: undefined, configurable: false });
}
