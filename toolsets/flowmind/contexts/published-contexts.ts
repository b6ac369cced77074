import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Context, Log } from '@millrace/kernel';
import { type ContextDefinition, fromPublished } from '../language/context.ts';

const FRESH_MS = 15_000;
const PATIENCE_MS = 3_000;

interface PublishedContextsOptions {
  read: () => Promise<Context[]>;
  clock: Clock;
  log: Log;
  changed: (uris: string[]) => void;
}

/** What the toolsets publish: read again now and then, never waited for long, and left as it was when a toolset cannot answer. */
export class PublishedContexts {
  readonly #options: PublishedContextsOptions;
  #contexts: ContextDefinition[] = [];
  #texts = new Map<string, string>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: PublishedContextsOptions) {
    this.#options = options;
  }

  get contexts(): readonly ContextDefinition[] {
    return this.#contexts;
  }

  /** Waits for the first reading only, and not for long; later ones run in the background. */
  async refresh(): Promise<void> {
    const never = this.#readAt === Number.NEGATIVE_INFINITY;
    if (this.#options.clock.now().getTime() - this.#readAt > FRESH_MS) {
      const reading = this.#readOnce();
      if (never) await Promise.race([reading, sleep(PATIENCE_MS, undefined, { ref: false })]);
    }
  }

  /** Reads again now. What is being read may be too old already: the next reading waits for it. */
  async readAgain(): Promise<void> {
    await this.#reading;
    await this.#readOnce();
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      const contexts = unique((await this.#options.read()).filter(isForeign)).map(fromPublished);
      const texts = new Map(contexts.map((context) => [context.uri, context.source.text]));
      const uris = [...new Set([...texts.keys(), ...this.#texts.keys()])].filter((uri) => texts.get(uri) !== this.#texts.get(uri));
      this.#contexts = contexts;
      this.#texts = texts;
      this.#readAt = this.#options.clock.now().getTime();
      if (uris.length > 0) this.#options.changed(uris);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the contexts of the toolsets could not be read');
    }
  }
}

/** FlowMind's own tools lead to contexts; they are not contexts themselves. */
function isForeign(context: Context): boolean {
  return !context.uri.startsWith('tool://flowmind/');
}

function unique(contexts: readonly Context[]): Context[] {
  return [...new Map(contexts.map((context) => [context.uri, context])).values()];
}
