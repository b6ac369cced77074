import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { Item } from '../../ports.ts';
import type { InstanceClient } from '../../remote/client.ts';
import { leftAsItIs } from '../../remote/instance.ts';
import { created, finished, POLL_MS, removed } from './executions.ts';
import type { InstanceOutcome, InstanceRun, InstanceWay } from './way.ts';
import { webhookCopy } from './webhook-copy.ts';

const REGISTERED_MS = 10_000;
const DEACTIVATED_MS = 10_000;

/**
 * By the public API alone: a copy whose trigger is a webhook that only we know, and whose pinned nodes return what they were pinned
 * to; the copy is called, its execution read, and the copy deleted.
 */
export class WebhookWay implements InstanceWay {
  readonly name = 'webhook';
  readonly title = 'a temporary webhook';
  readonly #client: InstanceClient;

  constructor(client: InstanceClient) {
    this.#client = client;
  }

  async run({ workflow, input, pack, limit, signal }: InstanceRun): Promise<InstanceOutcome> {
    const path = `millrace-test-${randomUUID()}`;
    const copy = webhookCopy(workflow, input, path, pack);
    const remote = await created(this.#client, copy.workflow, signal);
    try {
      await this.#client.setActive(remote.id, true, limit);
      await this.#call(path, copy.items, limit);
      const execution = await finished(async () => (await this.#client.executions(remote.id, 1, true, limit))[0], limit);
      return { execution, helper: copy.helper };
    } finally {
      const soon = AbortSignal.timeout(DEACTIVATED_MS);
      await this.#client.setActive(remote.id, false, soon).catch(leftAsItIs(soon));
      await removed(this.#client, remote.id);
    }
  }

  /** A webhook is not there yet when its workflow has just been activated. */
  async #call(path: string, items: Item[], signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + REGISTERED_MS;
    for (;;) {
      const { ok, status } = await this.#client.instance.send({ method: 'POST', path: `/webhook/${path}`, body: { items }, signal });
      if (ok) return;
      if (status !== 404 || performance.now() > deadline) {
        throw new Failure('upstream', `The n8n instance at ${this.#client.url} did not take the test call (status ${status})`, {
          details: { url: this.#client.url, status },
        });
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}
