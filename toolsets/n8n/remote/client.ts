import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { Workflow } from '../workflow/model.ts';
import { type InstanceAddress, instanceUrl } from './address.ts';
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

interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

const TIMEOUT_MS = 20_000;
const RETRIES = 2;
const DELETE_ATTEMPTS = 10;
const DELETE_WAIT_MS = 300;
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** n8n's public API, with its habits: what it answers becomes a value or a Failure in our own words. */
export class InstanceClient {
  readonly url: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;

  constructor(address: InstanceAddress, options: { timeoutMs?: number } = {}) {
    this.url = instanceUrl(address.url);
    this.#apiKey = address.apiKey;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Undefined when the instance has no such workflow. */
  async workflow(id: string, signal: AbortSignal): Promise<RemoteWorkflow | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}` }, signal);
    if (status === 404) return undefined;
    return this.#workflow(status, body);
  }

  /** Workflows of that name; none where the instance is too old to be asked by name. */
  async named(name: string, signal: AbortSignal): Promise<{ id: string; name: string }[]> {
    const { status, body } = await this.#send({ method: 'GET', path: `/workflows?limit=50&name=${encodeURIComponent(name)}` }, signal);
    const data = status === 200 ? (body as { data?: unknown }).data : undefined;
    return Array.isArray(data) ? data.filter((entry): entry is { id: string; name: string } => entry?.name === name) : [];
  }

  async create(payload: WorkflowPayload, signal: AbortSignal): Promise<RemoteWorkflow> {
    const { status, body } = await this.#send({ method: 'POST', path: '/workflows', body: payload }, signal);
    return this.#workflow(status, body);
  }

  async update(id: string, payload: WorkflowPayload, signal: AbortSignal): Promise<RemoteWorkflow> {
    const { status, body } = await this.#send({ method: 'PUT', path: `/workflows/${encodeURIComponent(id)}`, body: payload }, signal);
    return this.#workflow(status, body);
  }

  /** An active workflow cannot be deleted, and one that was active a moment ago not at once. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const { status, body } = await this.#send({ method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}` }, signal);
      if (status === 404) return;
      if (status !== 409 || attempt === DELETE_ATTEMPTS) return this.#require(status, body);
      if (attempt === 0) await this.setActive(id, false, signal).catch(() => {});
      await sleep(DELETE_WAIT_MS, undefined, { signal });
    }
  }

  async setActive(id: string, active: boolean, signal: AbortSignal): Promise<void> {
    const path = `/workflows/${encodeURIComponent(id)}/${active ? 'activate' : 'deactivate'}`;
    const { status, body } = await this.#send({ method: 'POST', path, body: {} }, signal);
    this.#require(status, body);
  }

  async executions(workflowId: string, limit: number, includeData: boolean, signal: AbortSignal): Promise<RemoteExecution[]> {
    const query = new URLSearchParams({ workflowId, limit: String(limit), includeData: String(includeData) });
    const { status, body } = await this.#send({ method: 'GET', path: `/executions?${query}` }, signal);
    this.#require(status, body);
    const data = (body as { data?: unknown }).data;
    if (!Array.isArray(data)) throw this.#strange('the list of executions');
    return data as RemoteExecution[];
  }

  /** One execution with its data; undefined while the instance does not know it yet. */
  async execution(id: string, signal: AbortSignal): Promise<RemoteExecution | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: `/executions/${encodeURIComponent(id)}?includeData=true` }, signal);
    if (status === 404) return undefined;
    this.#require(status, body);
    return body as RemoteExecution;
  }

  #workflow(status: number, body: unknown): RemoteWorkflow {
    this.#require(status, body);
    const workflow = body as RemoteWorkflow;
    if (!Array.isArray(workflow.nodes) || workflow.id === undefined) throw this.#strange('a workflow');
    return { ...workflow, id: String(workflow.id) };
  }

  /** Sends, and waits and sends again where that is harmless: when the instance asks for it, or a read found it busy. */
  async #send(request: Request, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#fetch(request, signal);
      const mayRetry = response.status === 429 || (request.method === 'GET' && response.status >= 502 && response.status <= 504);
      if (!mayRetry || attempt === RETRIES) return { status: response.status, body: await this.#body(response) };
      await response.body?.cancel();
      const asked = Number(response.headers.get('retry-after'));
      await sleep(Number.isFinite(asked) && asked > 0 ? Math.min(asked * 1000, 5_000) : 300 * (attempt + 1), undefined, { signal });
    }
  }

  async #fetch({ method, path, body }: Request, signal: AbortSignal): Promise<Response> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: {
          'X-N8N-API-KEY': this.#apiKey,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A followed redirect would turn a POST into a GET and send the key elsewhere.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw this.#slow(error);
      const reason = (error as { cause?: { code?: string } }).cause?.code ?? 'no connection';
      throw new Failure('unavailable', `The n8n instance at ${this.url} cannot be reached (${reason})`, {
        details: { url: this.url, reason },
        fix: { instruction: 'Check that n8n is running and that N8N_API_URL is its address' },
        cause: error,
      });
    }
  }

  async #body(response: Response): Promise<unknown> {
    const { status } = response;
    if (status >= 300 && status < 400) throw this.#redirected(response);
    if (Number(response.headers.get('content-length')) > MAX_REPLY_BYTES) throw this.#strange('something of a sensible size');
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw this.#slow(error);
    }
    if (status === 204 || text === '') return {};
    try {
      const body: unknown = JSON.parse(text);
      if (body !== null && typeof body === 'object') return body;
    } catch {
      // Said below, together with every other reply that is no object.
    }
    throw this.#notJson(status, text);
  }

  #require(status: number, body: unknown): void {
    if (status >= 200 && status < 300) return;
    const said = (body as { message?: unknown }).message;
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

  #slow(cause: unknown): Failure {
    return new Failure('timeout', `The n8n instance at ${this.url} did not answer within ${this.#timeoutMs / 1000} seconds`, {
      details: { url: this.url },
      cause,
    });
  }

  #redirected(response: Response): Failure {
    return new Failure('upstream', `The n8n instance at ${this.url} redirects to another address`, {
      details: { url: this.url, location: (response.headers.get('location') ?? '').slice(0, 200) },
      fix: { instruction: 'Set N8N_API_URL to the address that it redirects to' },
    });
  }

  #notJson(status: number, text: string): Failure {
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
