import { Failure } from '../failure.ts';
import { identified, type Step } from '../pipeline.ts';
import { LEVELS, type Level, type User } from '../ports.ts';
import type { Tool } from '../tool.ts';

export interface Authorization {
  readOnly: boolean;
  /** The level a user has earned or was given; the owner's is always the highest. */
  levelOf(user: User): Promise<Level> | Level;
  /** What unlocks a tool, in words, for the refusal. */
  unlockHint?(user: User, needed: Level): Promise<string> | string;
}

export function authorize(authorization: Authorization): Step {
  return async (invocation, next) => {
    const { tool } = invocation;
    if (authorization.readOnly && tool.access === 'write') throw readOnlyRefusal(tool);
    if (tool.level) await demandLevel(identified(invocation), tool, tool.level, authorization);
    return next();
  };
}

function readOnlyRefusal(tool: Tool): Failure {
  return new Failure('forbidden', `${tool.name} changes things, and this server is read-only`, {
    fix: { instruction: 'Start the server without --read-only to use this tool' },
  });
}

async function demandLevel(user: User, tool: Tool, needed: Level, authorization: Authorization): Promise<void> {
  const level = await authorization.levelOf(user);
  if (LEVELS.indexOf(level) >= LEVELS.indexOf(needed)) return;
  const hint = await authorization.unlockHint?.(user, needed);
  throw new Failure('locked', `${tool.name} opens at level ${needed}; your level is ${level}`, {
    details: { level, needed },
    ...(hint && { fix: { instruction: hint } }),
  });
}
