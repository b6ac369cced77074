import type { Chatflow } from './chatflow.ts';

/** Reads of chatflows that are under way: runs that begin together need one look, not one each. */
export class SharedReads {
  readonly #underWay = new Map<string, Promise<Chatflow>>();

  get(id: string, read: () => Promise<Chatflow>): Promise<Chatflow> {
    const joined = this.#underWay.get(id);
    if (joined) return joined;
    const begun = read();
    this.#underWay.set(id, begun);
    const done = () => {
      if (this.#underWay.get(id) === begun) this.#underWay.delete(id);
    };
    begun.then(done, done);
    return begun;
  }

  /** After a change nobody joins a read that began before it. */
  forget(): void {
    this.#underWay.clear();
  }
}
