import { createServer } from 'node:net';
import { absent, Failure } from '@millrace/kernel';

/** Flowise's own port, and the ones after it. */
const FIRST_PORT = 3000;
const LAST_PORT = 3020;

export async function freePort(): Promise<number> {
  const port = await listening(0);
  if (port === undefined) throw new Failure('unavailable', 'No free port was found');
  return port;
}

/** The first free one from Flowise's own on. */
export async function usualPort(): Promise<number> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port++) if (await isFree(port)) return port;
  return freePort();
}

export async function isFree(port: number): Promise<boolean> {
  return (await listening(port)) === port;
}

/** Somebody else listens where Flowise was to. */
export class PortTaken extends Failure<'unavailable'> {
  constructor(port: number) {
    super('unavailable', `Another program listens on port ${port}, so Flowise was not started`, {
      details: { port },
      fix: { instruction: 'End that program, or choose another port', command: 'engine add flowise --engine-port 3010' },
    });
  }
}

/** The port when it could be listened on, which it no longer is. */
async function listening(port: number): Promise<number | undefined> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, '127.0.0.1', resolve));
    const address = probe.address();
    return address !== null && typeof address === 'object' ? address.port : undefined;
  } catch (error) {
    return absent(error);
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}
