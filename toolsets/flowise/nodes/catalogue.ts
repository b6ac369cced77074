import type { Clock } from '@millrace/kernel';
import type { Credential, Flowise } from '../client/flowise.ts';
import { type Definitions, definitionOf } from './definition.ts';

const DEFINITIONS_FRESH_MS = 10 * 60_000;
const CREDENTIALS_FRESH_MS = 15_000;
/** A name that is not known may be a node that was added since: worth one more look, but not at every call. */
const LOOK_AGAIN_MS = 30_000;

interface Kept<Value> {
  value: Value;
  at: number;
}

/** The nodes that this Flowise has and the credentials it holds, kept for a while and loaded once for all who wait. */
export class NodeCatalogue {
  readonly #flowise: Flowise;
  readonly #clock: Clock;
  #definitions: Kept<Definitions> | undefined;
  #credentials: Kept<Credential[]> | undefined;
  #loading: Promise<Definitions> | undefined;

  constructor(flowise: Flowise, clock: Clock) {
    this.#flowise = flowise;
    this.#clock = clock;
  }

  /** Knows every one of `names` that this Flowise has. */
  async definitions(names: Iterable<string> = []): Promise<Definitions> {
    const kept = this.#definitions;
    const age = kept ? this.#clock.now().getTime() - kept.at : Number.POSITIVE_INFINITY;
    if (!kept || age > DEFINITIONS_FRESH_MS) return this.#load();
    if (age < LOOK_AGAIN_MS || [...names].every((name) => kept.value.has(name))) return kept.value;
    return this.#load();
  }

  async credentials(): Promise<Credential[]> {
    const now = this.#clock.now().getTime();
    if (!this.#credentials || now - this.#credentials.at > CREDENTIALS_FRESH_MS) {
      this.#credentials = { value: await this.#flowise.credentials({ signal: NEVER }), at: now };
    }
    return this.#credentials.value;
  }

  #load(): Promise<Definitions> {
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #fetch(): Promise<Definitions> {
    const rows = await this.#flowise.nodes({ signal: NEVER });
    const definitions = new Map(rows.flatMap((row) => definitionOf(row) ?? []).map((definition) => [definition.name, definition]));
    this.#definitions = { value: definitions, at: this.#clock.now().getTime() };
    return definitions;
  }
}

/** One caller cannot cancel what several wait for. */
const NEVER = new AbortController().signal;
