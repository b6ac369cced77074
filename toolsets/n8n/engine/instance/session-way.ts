import { Failure } from '@millrace/kernel';
import type { InstanceClient } from '../../remote/client.ts';
import { type PinnedCopy, pinnedCopy, withCopy } from './pinned-copy.ts';
import { type InstanceOutcome, type InstanceRun, type InstanceWay, NotThisWay } from './way.ts';

export interface Login {
  email: string;
  password: string;
}

const STOP_MS = 5_000;

/** As the editor does it: signed in, a copy with stored pin data is run by hand. */
export class SessionWay implements InstanceWay {
  readonly name = 'session';
  readonly title = 'the run route of its editor';
  readonly #client: InstanceClient;
  readonly #login: Login;
  #cookie: string | undefined;

  constructor(client: InstanceClient, login: Login) {
    this.#client = client;
    this.#login = login;
  }

  async run(run: InstanceRun): Promise<InstanceOutcome> {
    const copy = pinnedCopy(run.workflow, run.input, run.pack);
    if (!copy) throw new NotThisWay('the workflow has no trigger');
    this.#cookie ??= await this.#signIn(run.limit);
    let started: string | undefined;
    try {
      const execution = await withCopy(this.#client, copy, run, async (workflowId) => {
        started = await this.#start(workflowId, copy, run.limit);
        return started;
      });
      return { execution };
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
      // The session has run out meanwhile.
      await response.body?.cancel();
      this.#cookie = await this.#signIn(signal);
      response = await this.#post(path, body, signal);
    }
    const reply = (await response.json().catch(() => undefined)) as { data?: { executionId?: unknown }; message?: unknown } | undefined;
    const executionId = reply?.data?.executionId;
    if (response.ok && executionId !== undefined) return String(executionId);
    const said = typeof reply?.message === 'string' ? `: ${JSON.stringify(reply.message.slice(0, 200))}` : '';
    throw new NotThisWay(`it answered ${response.status}${said}`);
  }

  async #stop(executionId: string): Promise<void> {
    const path = `/rest/executions/${encodeURIComponent(executionId)}/stop`;
    await this.#post(path, {}, AbortSignal.timeout(STOP_MS))
      .then((response) => response.body?.cancel())
      .catch(() => {});
  }

  async #signIn(signal: AbortSignal): Promise<string> {
    const { email, password } = this.#login;
    const response = await this.#post('/rest/login', { emailOrLdapLoginId: email, email, password }, signal);
    await response.body?.cancel();
    if (!response.ok) throw new NotThisWay(`it does not let N8N_EMAIL sign in (status ${response.status})`);
    return response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  #post(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    return fetch(this.#client.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'browser-id': 'millrace', ...(this.#cookie && { Cookie: this.#cookie }) },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Failure('unavailable', `The n8n instance at ${this.#client.url} cannot be reached`, { cause: error });
    });
  }
}
