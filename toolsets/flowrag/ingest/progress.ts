import type { Progress } from '@millrace/kernel';

/** Counts what a run has done and says it in one line. */
export class RunProgress {
  files = 0;
  chunks = 0;
  entities = 0;
  relations = 0;
  readonly #total: number;
  readonly #report: Progress;
  readonly #startedAt: number;
  readonly #now: () => Date;

  constructor(total: number, report: Progress, now: () => Date) {
    this.#total = total;
    this.#report = report;
    this.#now = now;
    this.#startedAt = now().getTime();
    this.#say();
  }

  add(done: { chunks: number; entities: number; relations: number }): void {
    this.files++;
    this.chunks += done.chunks;
    this.entities += done.entities;
    this.relations += done.relations;
    this.#say();
  }

  #say(): void {
    const seconds = (this.#now().getTime() - this.#startedAt) / 1000;
    const rate = seconds > 0 ? this.files / seconds : 0;
    const parts = [`${this.files} of ${this.#total} files`, `${this.chunks} chunks`, `${this.entities} entities`];
    if (rate > 0) parts.push(`${rate.toFixed(1)} files/s`, `${Math.ceil((this.#total - this.files) / rate)} s left`);
    this.#report(this.files, this.#total, parts.join(', '));
  }
}
