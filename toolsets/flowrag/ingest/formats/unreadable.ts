/** A file that cannot be indexed, with the reason in words for the report. */
export class Unreadable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Unreadable';
  }
}
