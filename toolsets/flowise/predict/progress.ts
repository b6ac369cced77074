import type { Progress } from '@millrace/kernel';
import { quoted } from '../flow/findings.ts';
import { recordOf } from '../flow/node.ts';
import type { RunEvent } from './events.ts';

const EVERY_MS = 250;
const LONGEST_TAIL = 200;

const SAID: Record<string, string> = { INPROGRESS: 'runs', FINISHED: 'is done', ERROR: 'failed', STOPPED: 'waits for a person' };

/** Turns the events of a run into progress: each node as it begins and ends, and the answer as it grows, a few times a second. */
export class RunProgress {
  readonly #progress: Progress;
  #done = 0;
  #shownAt = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  show({ event, data }: RunEvent, answer: string): void {
    if (event === 'nextAgentFlow') {
      const node = recordOf(data);
      const said = SAID[String(node?.['status'])];
      if (said) this.#progress(++this.#done, undefined, `${quoted(String(node?.['nodeLabel'] ?? ''))} ${said}`);
    } else if (event === 'token' && answer && performance.now() - this.#shownAt >= EVERY_MS) {
      this.#shownAt = performance.now();
      this.#progress(++this.#done, undefined, answer.length > LONGEST_TAIL ? `…${answer.slice(-LONGEST_TAIL)}` : answer);
    }
  }
}
