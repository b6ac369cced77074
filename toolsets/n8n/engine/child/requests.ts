/** Questions that a process asks whoever started it, each answered by a message with its number. */
export class Requests<Answer> {
  readonly #open = new Map<number, (answer: Answer) => void>();
  #last = 0;

  ask(send: (task: number) => void): Promise<Answer> {
    return new Promise((resolve) => {
      const task = ++this.#last;
      this.#open.set(task, resolve);
      send(task);
    });
  }

  answer(task: number, answer: Answer): void {
    this.#open.get(task)?.(answer);
    this.#open.delete(task);
  }
}
