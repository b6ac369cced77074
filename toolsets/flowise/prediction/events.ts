import { StringDecoder } from 'node:string_decoder';
import { type Failure, jsonIn, type Progress, recordOf } from '@millrace/kernel';
import { quoted } from '../flow/findings.ts';

/** One event of a run as Flowise streams it. */
export interface RunEvent {
  event: string;
  data: unknown;
}

const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Reads the stream: blocks of lines, of which the one that begins with `data:` holds the event as JSON. */
export async function* eventsOf(body: AsyncIterable<Buffer>, tooLarge: () => Failure): AsyncGenerator<RunEvent> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.write(chunk);
    if (rest.length > MOST_CHARACTERS) throw tooLarge();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = eventOf(line);
      if (event) yield event;
    }
  }
  const last = eventOf(rest);
  if (last) yield last;
}

function eventOf(line: string): RunEvent | undefined {
  if (!line.startsWith('data:')) return undefined;
  const { event, data } = recordOf(jsonIn(line.slice('data:'.length)));
  return typeof event === 'string' ? { event, data } : undefined;
}

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
      const said = SAID[String(node['status'])];
      if (said) this.#progress(++this.#done, undefined, `${quoted(String(node['nodeLabel'] ?? ''))} ${said}`);
    } else if (event === 'token' && answer && performance.now() - this.#shownAt >= EVERY_MS) {
      this.#shownAt = performance.now();
      this.#progress(++this.#done, undefined, answer.length > LONGEST_TAIL ? `…${answer.slice(-LONGEST_TAIL)}` : answer);
    }
  }
}
