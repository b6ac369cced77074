import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Egress } from '@millrace/http/egress';

/** One request of a workflow, judged. */
export interface Outgoing {
  host: string;
  port: number;
  refused?: string;
}

/** Headers that are about the way to the proxy, not about the request. */
const OF_THE_HOP = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade'];

/** The only way of a confined process to the network: every request is judged, and goes to an address that was. */
export class EgressProxy {
  readonly #egress: Egress;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  /** Gets every request, with its verdict. */
  observer: ((outgoing: Outgoing) => void) | undefined;

  constructor(egress: Egress) {
    this.#egress = egress;
    this.#server = createServer((request, response) => void this.#forward(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#server.on('connection', (socket) => this.#hold(socket));
  }

  /** Listens at a path, for processes that have no network. */
  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, resolve);
    });
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #hold(socket: Socket): void {
    socket.unref();
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** The address to dial, or undefined and the reason told. */
  async #judged(host: string, port: number, refuse: (reason: string) => void): Promise<string | undefined> {
    const verdict = await this.#egress.judge(host, port);
    this.observer?.({ host, port, ...(!verdict.allowed && { refused: verdict.reason }) });
    if (verdict.allowed) return verdict.addresses[0];
    refuse(verdict.reason);
    return undefined;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.canParse(request.url ?? '') ? new URL(request.url as string) : undefined;
    const refuse = (reason: string, status = 403) => response.writeHead(status, { 'content-type': 'text/plain' }).end(reason);
    if (target?.protocol !== 'http:') return void refuse('Only requests for http addresses are passed on', 400);
    const port = Number(target.port || 80);
    const address = await this.#judged(target.hostname, port, refuse);
    if (address === undefined) return;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OF_THE_HOP.includes(name)));
    const onward = httpRequest({
      host: address,
      port,
      method: request.method,
      path: target.pathname + target.search,
      headers: { ...headers, host: target.host },
      setHost: false,
    });
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', (error) =>
      response.headersSent ? response.destroy() : refuse(`${target.host} could not be reached: ${error.message}`, 502),
    );
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [, host, port] = /^(.+):(\d+)$/.exec(request.url ?? '') ?? [];
    const answer = (status: string, reason = '') =>
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`);
    if (host === undefined) return void answer('400 Bad Request', 'host:port is missing');
    const address = await this.#judged(host, Number(port), (reason) => answer('403 Forbidden', reason));
    if (address === undefined) return;
    let connected = false;
    const onward = connect(Number(port), address, () => {
      connected = true;
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    this.#sockets.add(onward);
    onward.on('close', () => {
      this.#sockets.delete(onward);
      if (connected) socket.destroy();
    });
    onward.on('error', (error) => {
      if (!connected) answer('502 Bad Gateway', error.message);
    });
    socket.on('close', () => onward.destroy());
  }
}
