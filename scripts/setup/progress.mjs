/** The longest time without a sign of progress. */
const PLAIN_LINE_MS = 15_000;

/** One phase on stderr: a line that changes on a terminal, plain lines elsewhere. */
export class Phase {
  #title;
  #started = Date.now();
  #detail = '';
  #told = -1;
  #ticking;
  #onTerminal = process.stderr.isTTY;

  constructor(title) {
    this.#title = title;
    this.#ticking = setInterval(() => this.#draw(), this.#onTerminal ? 1000 : PLAIN_LINE_MS);
    if (this.#onTerminal) this.#draw();
    else process.stderr.write(`${title}...\n`);
  }

  /** The progress, out of a total that may be an estimate. */
  at(done, total, noun) {
    this.#detail = `: ${Math.min(done, total)} of ${total} ${noun}`;
    const quarter = Math.floor((done / total) * 4);
    if (this.#onTerminal) this.#draw();
    else if (quarter > this.#told && quarter > 0 && quarter < 4) process.stderr.write(`${this.#title}${this.#detail}\n`);
    this.#told = Math.max(this.#told, quarter);
  }

  note(text) {
    this.#clear();
    process.stderr.write(`${text}\n`);
  }

  done(text) {
    this.stop();
    process.stderr.write(`${text} (${this.#seconds()} s)\n`);
  }

  stop() {
    clearInterval(this.#ticking);
    this.#clear();
  }

  #draw() {
    const text = `${this.#title}${this.#detail} (${this.#seconds()} s)`;
    process.stderr.write(this.#onTerminal ? `\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}` : `${text}\n`);
  }

  #clear() {
    if (this.#onTerminal) process.stderr.write('\r\x1b[K');
  }

  #seconds() {
    return Math.round((Date.now() - this.#started) / 1000);
  }
}
