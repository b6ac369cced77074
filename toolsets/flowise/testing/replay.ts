import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testNodes } from './nodes.ts';

/** A reply of a real Flowise, as test/real/flowise-record.ts kept it. */
export interface Recorded {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface SeenRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  body: any;
}

/** How a route answers: a reply, one made of the request, or a way to go wrong. */
export type Behaviour =
  | Recorded
  | ((request: SeenRequest) => Recorded | Promise<Recorded>)
  | 'hang'
  | 'reset'
  | { half: Recorded }
  | { slowly: Recorded; ms: number };

const FOLDER = join(import.meta.dirname, '..', 'client', 'recordings');

export function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
}

// biome-ignore lint/suspicious/noExplicitAny: whatever Flowise answered
export function recordedJson(name: string): any {
  return JSON.parse(recorded(name).body);
}

/** A reply of our own making, where Flowise's would hold node definitions. */
export function json(value: unknown, status = 200): Recorded {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

/** Answers as a real Flowise did; what it has no reply for is its web page, as there. */
export class ReplayedFlowise {
  readonly requests: SeenRequest[] = [];
  readonly #routes = new Map<string, Behaviour[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.on('GET /nodes', json(testNodes));
    this.on('GET /validation/*', json([]));
    this.on('GET /credentials', recorded('credentials'));
  }

  static async start(routes: Record<string, Behaviour> = {}): Promise<ReplayedFlowise> {
    const flowise = new ReplayedFlowise();
    for (const [route, behaviour] of Object.entries(routes)) flowise.on(route, behaviour);
    await new Promise<void>((resolve) => flowise.#server.listen(0, '127.0.0.1', resolve));
    return flowise;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  /** `METHOD /path` below /api/v1, with * for any segment. Several behaviours come one after another; the last one stays. */
  on(route: string, ...behaviours: Behaviour[]): void {
    this.#routes.set(route, behaviours);
  }

  sent(method: string): SeenRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname.replace(/^\/api\/v1/, ''),
      query: url.searchParams,
      headers: request.headers,
      body: text ? JSON.parse(text) : undefined,
    };
    this.requests.push(seen);
    const behaviour = this.#behaviour(seen);
    if (behaviour === 'hang') return;
    if (behaviour === 'reset') return void request.socket.destroy();
    if (typeof behaviour === 'function') return send(response, await behaviour(seen));
    if ('half' in behaviour) return sendHalf(response, behaviour.half);
    if (!('slowly' in behaviour)) return send(response, behaviour);
    await sleep(behaviour.ms);
    send(response, behaviour.slowly);
  }

  #behaviour({ method, path }: SeenRequest): Behaviour {
    const parts = path.split('/');
    for (const [route, behaviours] of this.#routes) {
      const [wanted, pattern = ''] = route.split(' ');
      const expected = pattern.split('/');
      if (wanted !== method || expected.length !== parts.length) continue;
      if (!expected.every((part, index) => part === '*' || part === parts[index])) continue;
      return (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) as Behaviour;
    }
    return recorded('unknown-route');
  }
}

function send(response: ServerResponse, { status, headers, body }: Recorded): void {
  response.writeHead(status, headers).end(body);
}

function sendHalf(response: ServerResponse, { status, headers, body }: Recorded): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.write(body.slice(0, Math.floor(body.length / 2)));
  setTimeout(() => response.socket?.destroy(), 20);
}
