import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Egress } from '@millrace/http/egress';

/** A request of a workflow that did not reach its host. */
export interface Unreached {
  host: string;
  port: number;
  reason: string;
}

/** Headers that are about the way to the proxy, not about the request. */
const OF_THE_HOP = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade'];

/** The only way of a confined process to the network: every request is judged, and goes to an address that was. */
export class EgressProxy {
  readonly #egress: Egress;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #unreached: (unreached: Unreached) => void;

  /** Who asks for a host that is not reached gets no answer, as without a proxy; the reason goes to `unreached`. */
  constructor(egress: Egress, unreached: (unreached: Unreached) => void) {
    this.#egress = egress;
    this.#unreached = unreached;
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

  /** The address to dial; undefined where it may not be reached, and then the request is broken off. */
  async #judged(host: string, port: number, breakOff: () => void): Promise<string | undefined> {
    const verdict = await this.#egress.judge(host, port);
    if (verdict.allowed) return verdict.addresses[0];
    this.#unreached({ host, port, reason: verdict.reason });
    breakOff();
    return undefined;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.canParse(request.url ?? '') ? new URL(request.url as string) : undefined;
    if (target?.protocol !== 'http:') {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('Only requests for http addresses are passed on');
      return;
    }
    const { hostname: host } = target;
    const port = Number(target.port || 80);
    const breakOff = () => void response.destroy();
    const address = await this.#judged(host, port, breakOff);
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
    onward.on('error', (error) => {
      if (!response.headersSent && !response.destroyed) this.#unreached({ host, port, reason: error.message });
      breakOff();
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [, host, port] = /^(.+):(\d+)$/.exec(request.url ?? '') ?? [];
    if (host === undefined) {
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const breakOff = () => void socket.destroy();
    const address = await this.#judged(host, Number(port), breakOff);
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
      breakOff();
    });
    onward.on('error', (error) => {
      if (!connected) this.#unreached({ host, port: Number(port), reason: error.message });
    });
    socket.on('close', () => onward.destroy());
  }
}
