import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog, Log } from '@millrace/kernel';
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CatalogServer, type McpServerOptions } from './mcp-server.ts';

export interface StdioOptions extends McpServerOptions {
  log: Log;
  /** The client is gone, and got the answers that were worth waiting for. */
  onEnd(): void;
}

/** A client that pipes its requests in still reads the answers. */
const PATIENCE_MS = 10_000;
/** A job may run for minutes, and resumes when it is called again, so it only gets time for a short run. */
const JOB_PATIENCE_MS = 500;

/** Serves the one client at stdin and stdout, in whichever protocol era it opens. */
export function serveOverStdio(options: StdioOptions): { close(): Promise<void> } {
  const { catalog, log, onEnd } = options;
  return serveStdio(() => new CatalogServer(options, { kind: 'local' }), {
    transport: new StdioTransport({
      stdin: process.stdin,
      stdout: process.stdout,
      patienceMs: (request) => patienceFor(request, catalog),
      onEnd,
    }),
    onerror: (error) => log.warn({ err: error }, 'error on the stdio connection'),
  });
}

/** A subscription is only answered at its end. */
function patienceFor({ method, params }: JSONRPCRequest, catalog: Catalog): number {
  if (method === 'subscriptions/listen') return 0;
  const isJob = method === 'tools/call' && catalog.find(String(params?.name))?.tool.job !== undefined;
  return isJob ? JOB_PATIENCE_MS : PATIENCE_MS;
}

const NEWLINE = 0x0a;

/** The beginning of a line that was too long to keep. */
class TooLong {
  readonly head: string;

  constructor(head: string) {
    this.head = head;
  }
}

const HEAD_BYTES = 1024;

/** Cuts a stream of bytes into lines; of one that is too long, only the beginning is kept. */
class Lines {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *add(chunk: Buffer): Generator<string | TooLong> {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.#gather(chunk.subarray(from, to));
      from = to + 1;
      yield this.#take();
    }
    this.#gather(chunk.subarray(from));
  }

  /** The last line may lack its newline. */
  *end(): Generator<string | TooLong> {
    if (this.#bytes > 0) yield this.#take();
  }

  #gather(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [Buffer.concat([...this.#parts, part]).subarray(0, HEAD_BYTES)];
  }

  #take(): string | TooLong {
    const text = Buffer.concat(this.#parts).toString();
    const line = this.#bytes <= this.#maxBytes ? text : new TooLong(text);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}

export interface StdioTransportOptions {
  stdin: Readable;
  stdout: Writable;
  /** How long to wait for the answer to a received request after the end of stdin. */
  patienceMs(request: JSONRPCRequest): number;
  /** Nothing more will be read, and nothing more is worth waiting for. */
  onEnd(): void;
}

const NO_CLIENT = -32_000;
/** A reply needs a moment from the end of its call to stdout. */
const LAST_ANSWERS_MS = 250;
/** Timers may fire a little early. */
const TIMER_SLACK_MS = 5;

/**
 * Messages as lines. Unlike the SDK's own, it answers what was received before the end of stdin, and a line that is too
 * long or is not JSON does not end it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #lines = new Lines(STDIO_DEFAULT_MAX_BUFFER_SIZE);
  /** The requests of the client, and how long each is worth waiting for. */
  readonly #unanswered = new Map<RequestId, number>();
  /** The requests that were sent to the client, such as questions to people. */
  readonly #asked = new Set<RequestId>();
  #patience: NodeJS.Timeout[] = [];
  #inputEnded = false;
  #inputEndedAt = 0;
  /** Nobody reads stdout any more. */
  #lost = false;
  #ended = false;
  #closed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { stdin, stdout } = this.#options;
    stdin.on('data', this.#read).on('error', this.#report).on('end', this.#endInput).on('close', this.#endInput);
    stdout.on('error', this.#lose);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#endInput);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The connection is closed'));
    if (isJSONRPCRequest(message)) {
      if (this.#inputEnded) return Promise.reject(new Error('The client can no longer answer'));
      this.#asked.add(message.id);
    }
    return this.#write(serializeMessage(message)).finally(() => {
      if (isJSONRPCResponse(message)) this.#settle(message.id);
    });
  }

  /** Replies to calls that have ended are still sent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    for (let waited = 0; this.#unanswered.size > 0 && !this.#lost && waited < LAST_ANSWERS_MS; waited += 10) await sleep(10);
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#patience) clearTimeout(timer);
    const { stdin } = this.#options;
    stdin.off('data', this.#read).off('error', this.#report).off('end', this.#endInput).off('close', this.#endInput).pause();
    this.onclose?.();
  }

  /** Replies that are ready at the same moment, such as calls whose audit rows share a commit, are sent in one write. */
  #write(line: string): Promise<void> {
    const { stdout } = this.#options;
    stdout.cork();
    process.nextTick(() => stdout.uncork());
    return new Promise((resolve, reject) => stdout.write(line, (error) => (error ? reject(error) : resolve())));
  }

  readonly #read = (chunk: Buffer): void => {
    for (const line of this.#lines.add(chunk)) this.#receive(line);
  };

  #receive(line: string | TooLong): void {
    if (line instanceof TooLong) {
      this.#refuse(INVALID_REQUEST, `Message too large: a message may have ${STDIO_DEFAULT_MAX_BUFFER_SIZE} bytes`, idIn(line.head));
      return;
    }
    if (line.trim() === '') return;
    let content: unknown;
    try {
      content = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, 'Parse error: the line is not JSON');
      return;
    }
    try {
      this.#deliver(parseJSONRPCMessage(content));
    } catch (error) {
      this.#report(error as Error);
    }
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      this.#unanswered.set(message.id, this.#options.patienceMs(message));
    } else if (isJSONRPCResponse(message)) {
      if (message.id !== undefined) this.#asked.delete(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.requestId as RequestId | undefined);
    }
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id: RequestId | null = null): void {
    this.#report(new Error(message));
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`).catch(() => {});
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id);
    if (this.#inputEnded && !this.#isWaiting()) this.#end();
  }

  readonly #endInput = (): void => {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    for (const line of this.#lines.end()) this.#receive(line);
    const error = { code: NO_CLIENT, message: 'The client closed the connection before it answered' };
    for (const id of this.#asked) this.onmessage?.({ jsonrpc: '2.0', id, error });
    this.#inputEndedAt = performance.now();
    for (const patience of new Set(this.#unanswered.values())) {
      if (Number.isFinite(patience)) this.#patience.push(setTimeout(() => this.#settle(undefined), patience));
    }
    this.#settle(undefined);
  };

  #isWaiting(): boolean {
    const waited = performance.now() - this.#inputEndedAt;
    return [...this.#unanswered.values()].some((patience) => patience > waited + TIMER_SLACK_MS);
  }

  /** Whoever closed stdout reads no answers. */
  readonly #lose = (error: NodeJS.ErrnoException): void => {
    if (this.#closed) return;
    if (error.code !== 'EPIPE') this.#report(error);
    this.#lost = true;
    this.#end();
    void this.close();
  };

  readonly #report = (error: Error): void => {
    this.onerror?.(error);
  };

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#patience) clearTimeout(timer);
    this.#options.onEnd();
  }
}

/** The id of a message of which only the beginning arrived; most clients write it before the parameters. */
function idIn(head: string): RequestId | null {
  const [before = ''] = head.split('"params"');
  const found = /"id"\s*:\s*("[^"\\]*"|-?\d+)/.exec(before)?.[1];
  return found === undefined ? null : (JSON.parse(found) as RequestId);
}
