import type { Chatflow } from './chatflow.ts';

const RECENT_MS = 2_000;
const MOST_KEPT = 500;

/** Chatflows that were read a moment ago: runs that begin together need one look, not one each. */
export class RecentChatflows {
  readonly #kept = new Map<string, { chatflow: Promise<Chatflow>; at: number }>();

  get(id: string, read: () => Promise<Chatflow>): Promise<Chatflow> {
    const now = performance.now();
    const kept = this.#kept.get(id);
    if (kept && now - kept.at < RECENT_MS) return kept.chatflow;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    const chatflow = read();
    this.#kept.set(id, { chatflow, at: now });
    chatflow.catch(() => this.#kept.delete(id));
    return chatflow;
  }

  /** After any change: one chatflow may be known under several spellings of its id. */
  forget(): void {
    this.#kept.clear();
  }
}
