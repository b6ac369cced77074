import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { each, inSlices } from './slices.ts';

/** Works for longer than a slice lasts. */
function toil(): void {
  for (const end = performance.now() + 10; performance.now() < end; );
}

describe('long work in slices', () => {
  test('gives one result a value, and others have their turn meanwhile', async () => {
    let turns = 0;
    let done = false;
    const others = async () => {
      while (!done) {
        turns++;
        await setImmediate();
      }
    };
    const waiting = others();
    const results = await inSlices(
      each(['a', 'b', 'c'], (value, index) => {
        toil();
        return `${value}${index} after ${turns > index}`;
      }),
    );
    done = true;
    await waiting;
    expect(results).toEqual(['a0 after true', 'b1 after true', 'c2 after true']);
  });

  test('stops between two slices where that is asked for', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const work = inSlices(
      each([1, 2, 3], (value) => {
        toil();
        seen.push(value);
        if (value === 2) stop.abort(new Error('enough'));
      }),
      stop.signal,
    );
    await expect(work).rejects.toThrow('enough');
    expect(seen).toEqual([1, 2]);
  });
});
