import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A folder that is gone after the test. */
export function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'millrace-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** The environment of a test's server: nothing of the person who runs the tests. */
export function cleanEnvironment(home: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    MILLRACE_HOME: join(home, 'home'),
    MILLRACE_WORKSPACE: join(home, 'workspace'),
    MILLRACE_LOG_LEVEL: 'error',
    ...more,
  };
}

export interface Answer {
  id: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

export function modernMeta(capabilities: object = { elicitation: {} }): Record<string, unknown> {
  return { ...MODERN, 'io.modelcontextprotocol/clientCapabilities': capabilities };
}

/** A server process at the other end of stdin and stdout, spoken to in raw JSON-RPC. */
export class StdioProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  readonly notifications: { method: string; params: Record<string, unknown> }[] = [];
  stderr = '';
  /** Lines on stdout that are not JSON-RPC. */
  readonly strayLines: string[] = [];
  #waiting = new Map<number, (answer: Answer) => void>();
  #next = 1;

  constructor(args: readonly string[], env: Record<string, string>, cwd?: string, program = process.execPath) {
    this.child = spawn(program, args, { env, stdio: 'pipe', ...(cwd && { cwd }) });
    this.exited = new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(line));
    void this.exited.then(() => this.#abandon());
  }

  #receive(line: string): void {
    let message: Answer & { method?: string; params?: Record<string, unknown> };
    try {
      message = JSON.parse(line);
    } catch {
      this.strayLines.push(line);
      return;
    }
    if (message.method !== undefined) this.notifications.push({ method: message.method, params: message.params ?? {} });
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  #abandon(): void {
    for (const [id, resolve] of this.#waiting) resolve({ id, error: { code: 0, message: `the server ended: ${this.stderr}` } });
    this.#waiting.clear();
  }

  request(method: string, params: Record<string, unknown>): Promise<Answer> {
    const id = this.#next++;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  }

  /** Calls a tool as a client of 2026-07-28. */
  callTool(name: string, parameters: unknown, more: Record<string, unknown> = {}, capabilities?: object): Promise<Answer> {
    return this.request('tools/call', { name, arguments: parameters, _meta: modernMeta(capabilities), ...more });
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async close(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }
}

/** A server that listens on a free port. */
export class HttpProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  stderr = '';
  url = '';

  constructor(args: readonly string[], env: Record<string, string>) {
    this.child = spawn(process.execPath, args, { env: { ...env, MILLRACE_LOG_LEVEL: 'info' }, stdio: 'pipe' });
    this.exited = new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  async listening(): Promise<this> {
    const ended = this.exited.then(() => 'ended' as const);
    for (;;) {
      const url = /"url":"(http:[^"]+)"/.exec(this.stderr)?.[1];
      if (url) {
        this.url = url;
        return this;
      }
      const state = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))]);
      if (state === 'ended') throw new Error(`the server ended before it listened: ${this.stderr}`);
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.exited;
  }
}

/** One request of a 2026-07-28 client over HTTP. */
export async function modernRequest(
  url: string,
  token: string,
  method: string,
  params: Record<string, unknown>,
  capabilities?: object,
): Promise<{ status: number; body: Answer }> {
  const name = (params.name ?? params.uri) as string | undefined;
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta(capabilities) } }),
  });
  const text = await response.text();
  const data = response.headers.get('content-type')?.includes('event-stream') ? lastEvent(text) : text;
  return { status: response.status, body: JSON.parse(data || '{}') };
}

function lastEvent(stream: string): string {
  return [...stream.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? '';
}
