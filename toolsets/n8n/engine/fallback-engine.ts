import type { Workflow } from '../document/workflow/model.ts';
import type { Availability } from '../document/workflow/node-catalogue.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import type { Engine, RunInput, RunOptions, RunResult } from './engine.ts';

/** Runs in the embedded engine, and on the configured instance what the embedded engine cannot run. */
export class FallbackEngine implements Engine {
  readonly #embedded: EmbeddedEngine;
  readonly #instance: Engine | undefined;

  constructor(embedded: EmbeddedEngine, instance?: Engine) {
    this.#embedded = embedded;
    this.#instance = instance;
  }

  async ready(): Promise<Availability> {
    const embedded = await this.#embedded.ready();
    return embedded.available || !this.#instance ? embedded : this.#instance.ready();
  }

  async run(workflow: Workflow, input: RunInput, options: RunOptions): Promise<RunResult> {
    if (!this.#instance || (await this.#runsHere(workflow, input, options))) return this.#embedded.run(workflow, input, options);
    return this.#instance.run(workflow, input, options);
  }

  async #runsHere(workflow: Workflow, input: RunInput, { callable }: RunOptions): Promise<boolean> {
    const { available } = await this.#embedded.ready();
    return available && (await this.#embedded.obstacles(workflow, input, callable)).length === 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#embedded.close(), this.#instance?.close()]);
  }
}
