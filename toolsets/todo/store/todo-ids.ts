import { randomBytes } from 'node:crypto';

const MAX_SEQUENCE = 0xfff;

/** Random UUIDs (version 7) that sort in the order in which this process made them, also within one millisecond. */
export class TodoIds {
  #time = 0;
  #sequence = 0;

  next(now: Date): string {
    const time = now.getTime();
    if (time > this.#time) {
      this.#time = time;
      this.#sequence = 0;
    } else if (this.#sequence < MAX_SEQUENCE) {
      this.#sequence += 1;
    } else {
      this.#time += 1;
      this.#sequence = 0;
    }
    const bytes = randomBytes(8);
    bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
    const hex = this.#time.toString(16).padStart(12, '0') + (0x7000 | this.#sequence).toString(16) + bytes.toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
