import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpReply, headerSecret, notServed } from '@millrace/http';
import { Failure, isRecord, jsonIn } from '@millrace/kernel';
import type { Workflow } from '../document/workflow/model.ts';
import { Instance, type InstanceAddress, type InstanceRequest, ignoreFailures } from './instance.ts';
import type { WorkflowPayload } from './payload.ts';

/** A workflow as the instance has it. */
export interface RemoteWorkflow extends Workflow {
  id: string;
  isArchived?: boolean;
}

export interface RemoteExecution {
  id: string | number;
  status?: string;
  mode?: string;
  startedAt?: string;
  stoppedAt?: string | null;
  finished?: boolean;
  data?: { resultData?: { runData?: Record<string, unknown>; error?: { message?: unknown } } };
}

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

const TIMEOUT_MS = 20_000;
const DELETE_ATTEMPTS = 10;
const DELETE_WAIT_MS = 300;

/** n8n's public API, with its habits: what it answers becomes a value or a Failure in our own words. */
export class InstanceClient {
  readonly instance: Instance;
  readonly #apiKey: string;
  readonly #timeoutMs: number;

  constructor(address: InstanceAddress, options: { timeoutMs?: number } = {}) {
    this.instance = new Instance(address.url);
    this.#apiKey = address.apiKey;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  get url(): string {
    return this.instance.url;
  }

  /** Undefined when the instance has no such workflow. */
  async workflow(id: string, signal: AbortSignal): Promise<RemoteWorkflow | undefined> {
    const reply = await this.#send('GET', pathOf(id), signal);
    return reply.status === 404 ? undefined : this.#workflow(reply);
  }

  /** Workflows of that name; none where the instance is too old to be asked by name. */
  async named(name: string, signal: AbortSignal): Promise<{ id: string; name: string }[]> {
    const { status, body } = await this.#send('GET', `/workflows?limit=50&name=${encodeURIComponent(name)}`, signal);
    const data = status === 200 ? body['data'] : undefined;
    return Array.isArray(data) ? data.filter((entry): entry is { id: string; name: string } => entry?.name === name) : [];
  }

  async create(payload: WorkflowPayload, signal: AbortSignal): Promise<RemoteWorkflow> {
    return this.#workflow(await this.#send('POST', '/workflows', signal, payload));
  }

  async update(id: string, payload: WorkflowPayload, signal: AbortSignal): Promise<RemoteWorkflow> {
    return this.#workflow(await this.#send('PUT', pathOf(id), signal, payload));
  }

  /** An active workflow cannot be deleted, and one that was active a moment ago not at once. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#send('DELETE', pathOf(id), signal);
      if (reply.status === 404) return;
      if (reply.status !== 409 || attempt === DELETE_ATTEMPTS) return this.#require(reply);
      if (attempt === 0) await this.setActive(id, false, signal).catch(ignoreFailures(signal));
      await sleep(DELETE_WAIT_MS, undefined, { signal });
    }
  }

  async setActive(id: string, active: boolean, signal: AbortSignal): Promise<void> {
    this.#require(await this.#send('POST', `${pathOf(id)}/${active ? 'activate' : 'deactivate'}`, signal, {}));
  }

  async executions(workflowId: string, limit: number, includeData: boolean, signal: AbortSignal): Promise<RemoteExecution[]> {
    const query = new URLSearchParams({ workflowId, limit: String(limit), includeData: String(includeData) });
    const reply = await this.#send('GET', `/executions?${query}`, signal);
    this.#require(reply);
    const { data } = reply.body;
    if (!Array.isArray(data) || !data.every(isExecution)) throw this.#strange('the list of executions');
    return data;
  }

  /** One execution with its data; undefined while the instance does not know it yet. */
  async execution(id: string, signal: AbortSignal): Promise<RemoteExecution | undefined> {
    const reply = await this.#send('GET', `/executions/${encodeURIComponent(id)}?includeData=true`, signal);
    if (reply.status === 404) return undefined;
    this.#require(reply);
    if (!isExecution(reply.body)) throw this.#strange('an execution');
    return reply.body;
  }

  #workflow(reply: Reply): RemoteWorkflow {
    this.#require(reply);
    const { body } = reply;
    if (!isWorkflow(body) || body['id'] === undefined) throw this.#strange('a workflow');
    return { ...body, id: String(body.id) };
  }

  async #send(method: InstanceRequest['method'], path: string, signal: AbortSignal, body?: unknown): Promise<Reply> {
    const apiKey = headerSecret({ variable: 'N8N_API_KEY', value: this.#apiKey, from: "the instance's settings, under n8n API" });
    const headers = { 'x-n8n-api-key': apiKey ?? '' };
    const reply = await this.instance.send({ method, path: `/api/v1${path}`, headers, body, signal, timeoutMs: this.#timeoutMs });
    return { status: reply.status, body: this.#body(reply) };
  }

  #body(reply: HttpReply): Record<string, unknown> {
    const { status, text } = reply;
    const away = notServed({ status, retryAfter: reply.header('retry-after') }, this.instance.server, Date.now());
    if (away) throw away;
    if (status >= 300 && status < 400) throw this.#redirected(reply);
    if (status === 204 || text === '') return {};
    const body = jsonIn(text);
    if (isRecord(body)) return body;
    if (Array.isArray(body)) return {};
    throw this.#notJson(status, text);
  }

  #require({ status, body }: Reply): void {
    if (status >= 200 && status < 300) return;
    const said = body['message'];
    const quote = typeof said === 'string' && said ? `: ${JSON.stringify(said.slice(0, 300))}` : '';
    const details = { url: this.url, status };
    if (status === 401) {
      throw new Failure('unavailable', `The n8n instance at ${this.url} refuses N8N_API_KEY`, {
        details,
        fix: { instruction: 'Make a key in its settings under n8n API and set N8N_API_KEY to it' },
      });
    }
    if (status === 403) throw new Failure('unavailable', `N8N_API_KEY is not allowed to do this on ${this.url}${quote}`, { details });
    if (status === 404 || status === 405)
      throw new Failure('upstream', `The n8n instance at ${this.url} does not know this${quote}`, { details });
    throw new Failure('upstream', `The n8n instance at ${this.url} answered ${status}${quote}`, { details });
  }

  #redirected(reply: HttpReply): Failure {
    return new Failure('upstream', `The n8n instance at ${this.url} redirects to another address`, {
      details: { url: this.url, location: (reply.header('location') ?? '').slice(0, 200) },
      fix: { instruction: 'Set N8N_API_URL to the address that it redirects to' },
    });
  }

  #notJson(status: number, text: string): Failure {
    if (status >= 500)
      return new Failure('upstream', `The n8n instance at ${this.url} failed (status ${status})`, {
        details: { url: this.url, status },
        fix: { instruction: "n8n's own log says why" },
      });
    const isPage = /^\s*<(?:!doctype|html)/i.test(text);
    const what = isPage ? 'a web page' : 'something that is not JSON';
    return new Failure('upstream', `The n8n instance at ${this.url} answered ${what} instead of its API (status ${status})`, {
      details: { url: this.url, status },
      fix: { instruction: 'Check that N8N_API_URL is n8n itself and not a proxy or sign-in page, and that its public API is switched on' },
    });
  }

  #strange(wanted: string): Failure {
    return new Failure('upstream', `The n8n instance at ${this.url} did not answer with ${wanted}`, { details: { url: this.url } });
  }
}

function pathOf(id: string): string {
  return `/workflows/${encodeURIComponent(id)}`;
}

function isWorkflow(body: Record<string, unknown>): body is Workflow {
  return Array.isArray(body['nodes']);
}

function isExecution(body: unknown): body is RemoteExecution {
  return isRecord(body);
}
