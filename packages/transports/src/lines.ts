const NEWLINE = 0x0a;

/** The beginning of a line that was too long to keep. */
export class TooLong {
  readonly head: string;

  constructor(head: string) {
    this.head = head;
  }
}

const HEAD_BYTES = 1024;

/** Cuts a stream of bytes into lines; of one that is too long, only the beginning is kept. */
export class Lines {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *add(chunk: Buffer): Generator<string | TooLong> {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.#gather(chunk.subarray(from, to));
      from = to + 1;
      yield this.#take();
    }
    this.#gather(chunk.subarray(from));
  }

  /** The last line may lack its newline. */
  *end(): Generator<string | TooLong> {
    if (this.#bytes > 0) yield this.#take();
  }

  #gather(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [Buffer.concat([...this.#parts, part]).subarray(0, HEAD_BYTES)];
  }

  #take(): string | TooLong {
    const text = Buffer.concat(this.#parts).toString();
    const line = this.#bytes <= this.#maxBytes ? text : new TooLong(text);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
