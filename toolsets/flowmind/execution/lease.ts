import type { Clock } from '@millrace/kernel';
import type { SessionStore } from '../store/session-store.ts';

const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Names a process, and tells whether one that is named still lives. */
export interface Holder {
  id: string;
  isAlive(id: string): boolean;
}

/** Who works on which session. A lease is renewed while the work goes on; that of a dead process on this machine ends at once. */
export class Lease {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #holder: Holder;
  readonly #renewals = new Map<string, NodeJS.Timeout>();

  constructor(store: SessionStore, clock: Clock, holder: Holder) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
  }

  take(sessionId: string): { holder: string; until: string } {
    if (!this.#renewals.has(sessionId)) {
      const renewal = setInterval(() => {
        // A lease that cannot be renewed runs out, and the next transition finds that out.
        this.#store.renew(sessionId, this.#holder.id, this.#until()).catch(() => {});
      }, RENEW_MS);
      renewal.unref();
      this.#renewals.set(sessionId, renewal);
    }
    return { holder: this.#holder.id, until: this.#until() };
  }

  release(sessionId: string): void {
    clearInterval(this.#renewals.get(sessionId));
    this.#renewals.delete(sessionId);
  }

  /** Whether another process is at work on it right now. */
  isElsewhere(lease: { holder: string; until: string } | undefined): boolean {
    if (!lease || lease.holder === this.#holder.id) return false;
    return lease.until > this.#clock.now().toISOString() && this.#holder.isAlive(lease.holder);
  }

  #until(): string {
    return new Date(this.#clock.now().getTime() + LEASE_MS).toISOString();
  }
}
