import type { Clock, Context, Log } from '@millrace/kernel';
import { type ContextDefinition, fromPublished } from '../language/context.ts';

const FRESH_MS = 15_000;
const PATIENCE_MS = 3_000;

/** What the toolsets publish: looked at again now and then, never waited for long, and kept as it was when a toolset cannot answer. */
export class PublishedContexts {
  readonly #read: () => Promise<Context[]>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed: (uris: string[]) => void;
  #contexts: ContextDefinition[] = [];
  #texts = new Map<string, string>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: { read: () => Promise<Context[]>; clock: Clock; log: Log; changed: (uris: string[]) => void }) {
    this.#read = options.read;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#changed = options.changed;
  }

  get contexts(): readonly ContextDefinition[] {
    return this.#contexts;
  }

  /** Waits for the first reading only, and not for long; later ones go on beside. */
  async looked(): Promise<void> {
    const never = this.#readAt === Number.NEGATIVE_INFINITY;
    if (this.#clock.now().getTime() - this.#readAt > FRESH_MS) {
      const reading = this.#readOnce();
      if (never) await Promise.race([reading, patience()]);
    }
  }

  /** What is being read may be too old already: reads again after it. */
  async renew(): Promise<void> {
    await this.#reading;
    await this.#readOnce();
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #refresh(): Promise<void> {
    try {
      const contexts = unique((await this.#read()).filter(isForeign)).map(fromPublished);
      const texts = new Map(contexts.map((context) => [context.uri, context.source.text]));
      const uris = [...new Set([...texts.keys(), ...this.#texts.keys()])].filter((uri) => texts.get(uri) !== this.#texts.get(uri));
      this.#contexts = contexts;
      this.#texts = texts;
      this.#readAt = this.#clock.now().getTime();
      if (uris.length > 0) this.#changed(uris);
    } catch (error) {
      this.#log.warn({ err: error }, 'the contexts of the toolsets could not be read');
    }
  }
}

/** FlowMind's own tools are the door, not what is behind it. */
function isForeign(context: Context): boolean {
  return !context.uri.startsWith('tool://flowmind/');
}

function unique(contexts: readonly Context[]): Context[] {
  return [...new Map(contexts.map((context) => [context.uri, context])).values()];
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref();
  });
}
