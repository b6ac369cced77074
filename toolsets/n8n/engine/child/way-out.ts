import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Brings a proxy that listens at a path within reach of programs that know addresses only. Returns its address. */
export async function openWayOut(path: string): Promise<string> {
  const relay = createServer((socket) => {
    const proxy = connect(path);
    for (const [one, other] of [
      [socket, proxy],
      [proxy, socket],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  relay.unref();
  return `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}
