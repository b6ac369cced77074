import { StringDecoder } from 'node:string_decoder';
import type { Failure } from '@millrace/kernel';

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
  try {
    const { event, data } = JSON.parse(line.slice('data:'.length)) as { event?: unknown; data?: unknown };
    return typeof event === 'string' ? { event, data } : undefined;
  } catch {
    return undefined;
  }
}
