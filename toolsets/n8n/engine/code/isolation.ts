import dgram from 'node:dgram';
import dns from 'node:dns';
import module, { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Takes from this process what a script could misuse if it broke out of its context: the network, other modules, Node's insides.
 * Files, processes, threads and addons are already closed by Node's permission model.
 * Returns what loads a module that is allowed all the same.
 */
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
