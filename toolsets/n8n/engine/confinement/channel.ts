import type { Duplex } from 'node:stream';

/** Enough for the largest run's data, and little enough for a server to hold. */
const MOST_BYTES = 64 * 2 ** 20;
const HEADER = 4;
/** Marks bytes within JSON. */
const BYTES = '\u0000bytes';

export interface ChannelEvents<Incoming> {
  /** Makes a message of what was parsed, or throws. */
  check(value: unknown): Incoming;
  message(message: Incoming): void;
  /** The other side broke the rules: nothing that it says can be trusted any more. Called once. */
  surprise(reason: string): void;
}

/** Messages between a server and a process that it does not trust: JSON behind its length, capped, and checked before use. */
export class Channel<Outgoing, Incoming> {
  readonly #stream: Duplex;
  readonly #events: ChannelEvents<Incoming>;
  readonly #mostBytes: number;
  #chunks: Buffer[] = [];
  #received = 0;
  #broken = false;

  constructor(stream: Duplex, events: ChannelEvents<Incoming>, mostBytes = MOST_BYTES) {
    this.#stream = stream;
    this.#events = events;
    this.#mostBytes = mostBytes;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    // The end of the process says why it broke.
    stream.on('error', () => {});
  }

  /** Whether the message was sent; one that is too large is not, and the other side still waits. */
  send(message: Outgoing): boolean {
    const body = Buffer.from(encoded(message));
    if (body.length > this.#mostBytes || this.#stream.destroyed) return false;
    if (this.#stream.writableLength > 2 * this.#mostBytes) {
      this.#surprise('it does not read what it is sent');
      return false;
    }
    const header = Buffer.alloc(HEADER);
    header.writeUInt32BE(body.length);
    this.#stream.cork();
    this.#stream.write(header);
    this.#stream.write(body);
    this.#stream.uncork();
    return true;
  }

  #receive(chunk: Buffer): void {
    if (this.#broken) return;
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    for (let frame = this.#frame(); frame !== undefined && !this.#broken; frame = this.#frame()) this.#read(frame);
  }

  /** The next whole message, without its header. */
  #frame(): Buffer | undefined {
    if (this.#received < HEADER) return undefined;
    if ((this.#chunks[0]?.length ?? 0) < HEADER) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = this.#chunks[0]?.readUInt32BE() ?? 0;
    if (length > this.#mostBytes) {
      this.#surprise(`it announced a message of ${length} bytes`);
      return undefined;
    }
    if (this.#received < HEADER + length) return undefined;
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(HEADER + length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#received = rest.length;
    return all.subarray(HEADER, HEADER + length);
  }

  #read(frame: Buffer): void {
    let message: Incoming;
    try {
      message = this.#events.check(decoded(frame.toString()));
    } catch (error) {
      // Whatever a stranger's bytes make a parser or a schema throw, it is the stranger's fault.
      this.#surprise(`it sent a message that is not one (${error instanceof Error ? error.name : 'unknown'})`);
      return;
    }
    this.#events.message(message);
  }

  #surprise(reason: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#chunks = [];
    this.#received = 0;
    this.#events.surprise(reason);
  }
}

function encoded(message: unknown): string {
  try {
    return JSON.stringify(message, asJson);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(withoutCircles(message, new Set()), asJson);
  }
}

function asJson(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  // Buffers have become arrays of numbers before this is called.
  const original = (this as Record<string, unknown>)[key];
  if (original instanceof Uint8Array) return { [BYTES]: Buffer.from(original).toString('base64') };
  if (original instanceof ArrayBuffer) return { [BYTES]: Buffer.from(original).toString('base64') };
  return value;
}

function withoutCircles(value: unknown, above: Set<object>): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array || value instanceof Date) return value;
  if (above.has(value)) return '[Circular Reference]';
  const within = new Set(above).add(value);
  if (Array.isArray(value)) return value.map((part) => withoutCircles(part, within));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutCircles(part, within)]));
}

function decoded(text: string): unknown {
  if (!text.includes('\\u0000bytes')) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || !(BYTES in value) || typeof value[BYTES] !== 'string') return value;
    return Buffer.from(value[BYTES], 'base64');
  });
}
