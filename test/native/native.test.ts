import { expect, test } from 'vitest';
import { nativeRounds } from './native-rounds.ts';

const ROUNDS = Number(process.env.NATIVE_ROUNDS ?? 12);

test.skipIf(process.platform !== 'linux')(
  `programs that are ended ${ROUNDS} times while the model runs end in time and in order, and leave nothing behind`,
  async () => {
    const { rounds, slowestMs, findings } = await nativeRounds(ROUNDS);
    process.stdout.write(`ended ${ROUNDS} times in ${Object.keys(rounds).length} ways, the slowest within ${Math.round(slowestMs)} ms\n`);
    expect(findings).toEqual([]);
  },
  120_000 + ROUNDS * 5_000,
);
