/** Callers of one process take turns by name, so that only one of them at a time competes with other processes. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(name, promise);
    try {
      await before;
      return await work();
    } finally {
      resolve();
      if (this.#last.get(name) === promise) this.#last.delete(name);
    }
  }
}
