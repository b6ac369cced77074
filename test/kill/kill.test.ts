import { expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { killRounds } from './kill-rounds.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 20);

verifies(
  'kernel-shared-home',
  `processes that share a home and are killed ${ROUNDS} times lose nothing that was acknowledged, and leave nothing half done`,
  async () => {
    const { acknowledged, todos, auditRows, findings } = await killRounds(ROUNDS);
    process.stdout.write(`killed ${ROUNDS} times: ${acknowledged} acknowledged calls, ${todos} todos, ${auditRows} audit rows\n`);
    expect(findings).toEqual([]);
    expect(acknowledged).toBeGreaterThan(ROUNDS);
    expect(auditRows).toBeGreaterThanOrEqual(acknowledged);
  },
  60_000 + ROUNDS * 5_000,
);
