import { median, percentile } from './measure.ts';

/** Two ways to do the same, timed in pairs. */
export interface Paired {
  /** Medians in milliseconds. */
  ours: number;
  plain: number;
  /** The median of the differences within the pairs, with its 95 % confidence interval. */
  difference: number;
  low: number;
  high: number;
  /** Additional processor time of this process for one of ours compared with a plain one, in milliseconds. */
  cpu: number;
}

/**
 * Times both in turn, changing the order from pair to pair: whatever slows the machine down slows both down, and cancels
 * out in the difference. Other processes cost time, but not this process's processor time.
 */
export async function paired(pairs: number, ours: () => Promise<unknown>, plain: () => Promise<unknown>): Promise<Paired> {
  for (let warm = 0; warm < 5; warm++) {
    await ours();
    await plain();
  }
  const sides: [Timed[], Timed[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    for (const side of order) sides[side as 0 | 1].push(await timed(side === 0 ? ours : plain));
  }
  const differences = sides[0].map(({ ms }, pair) => ms - (sides[1][pair]?.ms ?? 0));
  const spread = (98 * Math.sqrt(pairs)) / pairs;
  return {
    ours: median(sides[0].map(({ ms }) => ms)),
    plain: median(sides[1].map(({ ms }) => ms)),
    difference: median(differences),
    low: percentile(differences, Math.max(0, 50 - spread)),
    high: percentile(differences, Math.min(100, 50 + spread)),
    cpu: median(sides[0].map(({ cpu }) => cpu)) - median(sides[1].map(({ cpu }) => cpu)),
  };
}

interface Timed {
  ms: number;
  cpu: number;
}

async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { ms, cpu: (user + system) / 1000 };
}
