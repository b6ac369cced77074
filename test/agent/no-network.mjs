// Loaded before a program: any attempt to reach the network fails.
import dns from 'node:dns';
import net from 'node:net';

const refuse = () => {
  throw new Error('the network was used');
};
net.Socket.prototype.connect = refuse;
dns.lookup = refuse;
globalThis.fetch = refuse;
