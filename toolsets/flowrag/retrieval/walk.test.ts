import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { communitiesOf } from './global.ts';
import type { Link, LinkGraph } from './links.ts';
import { fuse } from './ranking.ts';
import { walk } from './walk.ts';

/** A graph that is known from the start. */
function graphOf(edges: readonly (readonly [from: number, to: number, weight: number])[]): LinkGraph {
  const expanded = new Set<number>();
  return {
    linksOf: (id: number): readonly Link[] | undefined =>
      expanded.has(id) ? edges.filter(([from]) => from === id).map(([, to, weight]) => ({ to, weight, via: `${id}-${to}` })) : undefined,
    expand: async (ids: readonly number[]) => {
      for (const id of ids) expanded.add(id);
    },
  } as unknown as LinkGraph;
}

const OPTIONS = { restart: 0.5, rounds: [10, 10, 10] };

describe('the walk', () => {
  test('shares add up to one, and go further than one link', async () => {
    const reached = await walk(
      graphOf([
        [1, 2, 1],
        [2, 3, 1],
        [3, 1, 1],
      ]),
      new Map([[1, 2]]),
      OPTIONS,
    );
    expect(reached.map(({ chunkId }) => chunkId)).toEqual([1, 2, 3]);
    expect(reached.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
    expect(reached[2]).toMatchObject({ linked: expect.closeTo(reached[2]?.share ?? 0, 6), by: { from: 2, via: '2-3' } });
    expect(reached[0]?.linked).toBeLessThan(reached[0]?.share ?? 0);
  });

  test('heavier links carry more', async () => {
    const reached = await walk(
      graphOf([
        [1, 2, 3],
        [1, 3, 1],
      ]),
      new Map([[1, 1]]),
      OPTIONS,
    );
    const share = (id: number) => reached.find(({ chunkId }) => chunkId === id)?.share ?? 0;
    expect(share(2) / share(3)).toBeCloseTo(3, 6);
  });

  test('no more than allowed is expanded', async () => {
    const chain = Array.from({ length: 50 }, (_, index): [number, number, number] => [index, index + 1, 1]);
    const reached = await walk(graphOf(chain), new Map([[0, 1]]), { restart: 0.5, rounds: [1, 1, 1] });
    expect(reached.map(({ chunkId }) => chunkId)).toEqual([0, 1, 2, 3]);
  });

  test('any graph: shares are positive, add up to one and fall', async () => {
    const edge = fc.tuple(fc.nat(12), fc.nat(12), fc.double({ min: 0.01, max: 5, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(fc.array(edge, { maxLength: 40 }), fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }), async (edges, seeds) => {
        const reached = await walk(graphOf(edges), new Map(seeds.map((seed) => [seed, 1 + seed])), OPTIONS);
        expect(reached.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
        const shares = reached.map(({ share }) => share);
        expect(shares).toEqual(shares.toSorted((a, b) => b - a));
        for (const { linked, share } of reached) expect(linked >= 0 && linked <= share + 1e-9).toBe(true);
      }),
    );
  });
});

test('fusion: a place in both lists beats the first place in one', () => {
  const ranking = (...ids: number[]) => ids.map((chunkId) => ({ chunkId, score: 1 }));
  expect(fuse([ranking(1, 2), ranking(3, 2)]).map(({ chunkId }) => chunkId)).toEqual([2, 1, 3]);
  expect(fuse([])).toEqual([]);
});

describe('communities', () => {
  const ties = [
    { a: 1, b: 2, weight: 1 },
    { a: 2, b: 3, weight: 1 },
    { a: 1, b: 3, weight: 1 },
    { a: 4, b: 5, weight: 2 },
    { a: 4, b: 4, weight: 9 },
    { a: 1, b: 99, weight: 9 },
    { a: 1, b: 5, weight: 0 },
  ];

  test('are those who are tied to each other, the same each time', () => {
    const groups = communitiesOf([1, 2, 3, 4, 5, 6], ties);
    expect(groups.map((group) => group.join())).toEqual(['1,2,3', '4,5', '6']);
    expect(communitiesOf([1, 2, 3, 4, 5, 6], ties)).toEqual(groups);
  });
});
