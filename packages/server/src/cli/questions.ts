import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure } from '@millrace/kernel';

/** Questions to the person at the terminal, one after the other. Ctrl-C and the end of the input cancel everything. */
export class Questions {
  readonly #lines: Interface;
  readonly #calledOff = new AbortController();
  #hidden = false;

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    const shown = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#hidden) output.write(chunk);
        done();
      },
    });
    this.#lines = createInterface({ input, output: shown, terminal: true });
    this.#lines.once('SIGINT', () => this.#calledOff.abort());
    this.#lines.once('close', () => this.#calledOff.abort());
  }

  /** What was typed, or the fallback if that was nothing. */
  async text(question: string, fallback = ''): Promise<string> {
    const typed = await this.#ask(`${question}${fallback ? ` [${fallback}]` : ''}: `);
    return typed.trim() || fallback;
  }

  /** Like text, but the typing is hidden. */
  async secret(question: string): Promise<string> {
    const asked = this.#ask(`${question} (not shown): `);
    this.#hidden = true;
    try {
      return (await asked).trim();
    } finally {
      this.#hidden = false;
      this.#lines.write('\n');
    }
  }

  async confirm(question: string, fallback: boolean): Promise<boolean> {
    for (;;) {
      const typed = (await this.#ask(`${question} [${fallback ? 'Y/n' : 'y/N'}] `)).trim();
      if (typed === '') return fallback;
      if (/^(y|yes)$/i.test(typed)) return true;
      if (/^(n|no)$/i.test(typed)) return false;
    }
  }

  close(): void {
    this.#lines.close();
  }

  async #ask(text: string): Promise<string> {
    const { signal } = this.#calledOff;
    try {
      return await this.#lines.question(text, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Failure('cancelled', 'Stopped; nothing was changed', { cause: error });
    }
  }
}
