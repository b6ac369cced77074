import { Socket } from 'node:net';
import { Channel } from './channel.ts';

/** The server's end of the pipe is at this descriptor of every process that it starts. */
const DESCRIPTOR = 3;

export interface ServerChannel<Outgoing> {
  send(message: Outgoing): boolean;
  /** Tells the server that work can begin. */
  ready(): void;
}

/** The channel of a process to the server that started it, without which it ends. */
export function serverChannel<Outgoing, Incoming>(message: (message: Incoming) => void): ServerChannel<Outgoing> {
  const stream = new Socket({ fd: DESCRIPTOR, readable: true, writable: true });
  const end = () => process.exit(0);
  stream.on('close', end);
  const channel = new Channel<Outgoing | { kind: 'ready' }, Incoming>(stream, {
    check: (value) => value as Incoming,
    message,
    surprise: end,
  });
  return { send: (outgoing) => channel.send(outgoing), ready: () => void channel.send({ kind: 'ready' }) };
}
