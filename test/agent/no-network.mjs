// Loaded before a program: whoever tries to reach the network is told off.
import dns from 'node:dns';
import net from 'node:net';

const refuse = () => {
  throw new Error('the network was used');
};
net.Socket.prototype.connect = refuse;
dns.lookup = refuse;
globalThis.fetch = refuse;
