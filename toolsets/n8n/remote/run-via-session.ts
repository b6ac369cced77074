import type { HttpReply } from '@millrace/http';
import { jsonIn } from '@millrace/kernel';
import { type Instance, ignoreFailures, type Login } from './instance.ts';
import {
  type InstanceOutcome,
  type InstanceRun,
  type InstanceRunner,
  type PinnedCopy,
  pinnedCopy,
  Unsupported,
  withCopy,
} from './test-copy.ts';

const STOP_MS = 5_000;

/** As the editor does: signs in and runs a copy with stored pin data. */
export class SessionRunner implements InstanceRunner {
  readonly name = 'session';
  readonly title = 'the run route of its editor';
  readonly #instance: Instance;
  readonly #login: Login;
  #cookie: string | undefined;

  constructor(instance: Instance, login: Login) {
    this.#instance = instance;
    this.#login = login;
  }

  async run(run: InstanceRun): Promise<InstanceOutcome> {
    const copy = pinnedCopy(run);
    this.#cookie ??= await this.#signIn(run.limit);
    let started: string | undefined;
    try {
      return await withCopy(run, copy, async (workflowId) => {
        started = await this.#start(workflowId, copy, run.limit);
        return started;
      });
    } catch (error) {
      if (started !== undefined && run.limit.aborted) await this.#stop(started);
      throw error;
    }
  }

  async #start(workflowId: string, copy: PinnedCopy, signal: AbortSignal): Promise<string> {
    const path = `/rest/workflows/${encodeURIComponent(workflowId)}/run`;
    // n8n 2 runs what is stored, with its pins; n8n 1 what it is sent.
    const workflowData = { ...copy.workflow, id: workflowId, active: false };
    const body = { workflowData, triggerToStartFrom: { name: copy.trigger } };
    let response = await this.#post(path, body, signal);
    if (response.status === 401) {
      // The session has expired.
      this.#cookie = await this.#signIn(signal);
      response = await this.#post(path, body, signal);
    }
    const reply = jsonIn(response.text) as RunReply | undefined;
    const executionId = reply?.data?.executionId;
    if (response.ok && executionId !== undefined) return String(executionId);
    const said = typeof reply?.message === 'string' ? `: ${JSON.stringify(reply.message.slice(0, 200))}` : '';
    throw new Unsupported(`it answered ${response.status}${said}`);
  }

  async #stop(executionId: string): Promise<void> {
    const path = `/rest/executions/${encodeURIComponent(executionId)}/stop`;
    const signal = AbortSignal.timeout(STOP_MS);
    await this.#post(path, {}, signal).catch(ignoreFailures(signal));
  }

  async #signIn(signal: AbortSignal): Promise<string> {
    const { ok, status, cookies } = await this.#instance.signIn(this.#login, { signal });
    if (!ok) throw new Unsupported(`it does not let N8N_EMAIL sign in (status ${status})`);
    return cookies;
  }

  #post(path: string, body: unknown, signal: AbortSignal): Promise<HttpReply> {
    const headers = { 'browser-id': 'millrace', ...(this.#cookie && { cookie: this.#cookie }) };
    return this.#instance.send({ method: 'POST', path, headers, body, signal });
  }
}

interface RunReply {
  data?: { executionId?: unknown };
  message?: unknown;
}
