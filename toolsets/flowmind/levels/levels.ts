import { Failure, identified, type Step, type Tool, type User } from '@millrace/kernel';
import { LEVELS, type Level } from '@millrace/storage';
import { COMPLEXITIES, type Complexity, type ContextDefinition } from '../language/context.ts';
import { DEFAULT_THRESHOLDS } from '../settings.ts';

/** Counts a user's successful calls with distinct arguments. */
export interface SuccessCounter {
  /** Answers the user's new total. */
  countDistinctSuccess(userId: string, tool: string, argumentsHash: string): Promise<number>;
  distinctSuccesses(userId: string): Promise<number>;
}

/** How many successful calls with distinct arguments open a level. */
export interface Thresholds {
  intermediate: number;
  advanced: number;
}

export interface Standing {
  level: Level;
  successes: number;
  /** Nothing above the highest level. */
  next: { level: Level; missing: number } | undefined;
}

export interface Levels {
  levelOf(user: User): Promise<Level>;
  /** What a user has to do for a level, in words. */
  unlockHint(user: User, needed: Level): Promise<string>;
  standing(user: User): Promise<Standing>;
  /** Counts a success; `opened` is the level that it brought. */
  counted(user: User, tool: string, argumentsHash: string): Promise<Standing & { opened: Level | undefined }>;
  /** Undefined when the user may run the context. */
  refusal(context: ContextDefinition, user: User): Promise<{ reason: string; unlock: string } | undefined>;
}

const MAX_COMPLEXITY: Record<Level, Complexity> = { beginner: 'simple', intermediate: 'moderate', advanced: 'expert' };

export interface LevelsOptions {
  counter: SuccessCounter;
  /** What people type to start this program. */
  program(): string;
  thresholds?: Partial<Thresholds> | undefined;
}

export function createLevels(options: LevelsOptions): Levels {
  const { counter, program } = options;
  const thresholds = { ...DEFAULT_THRESHOLDS, ...options.thresholds };

  const standingWith = (user: User, successes: number): Standing => {
    const level = user.owner ? 'advanced' : higher(user.level, earned(successes, thresholds));
    const next = LEVELS[LEVELS.indexOf(level) + 1];
    return {
      level,
      successes,
      next: next && { level: next, missing: Math.max(0, neededFor(next, thresholds) - successes) },
    };
  };

  const levels: Levels = {
    async levelOf(user) {
      if (user.owner || user.level === 'advanced') return 'advanced';
      return (await levels.standing(user)).level;
    },

    async unlockHint(user, needed) {
      const { successes } = await levels.standing(user);
      const wanted = neededFor(needed, thresholds);
      return `${wanted} successful calls with distinct arguments open level ${needed}; you have ${successes}. An owner can also grant it: ${program()} user level`;
    },

    async standing(user) {
      return standingWith(user, await counter.distinctSuccesses(user.id));
    },

    async counted(user, tool, argumentsHash) {
      const before = await counter.distinctSuccesses(user.id);
      const after = await counter.countDistinctSuccess(user.id, tool, argumentsHash);
      const standing = standingWith(user, after);
      return { ...standing, opened: standing.level === standingWith(user, before).level ? undefined : standing.level };
    },

    async refusal(context, user) {
      const level = await levels.levelOf(user);
      const most = MAX_COMPLEXITY[level];
      if (COMPLEXITIES.indexOf(context.complexity) <= COMPLEXITIES.indexOf(most)) return undefined;
      const needed = LEVELS.find((each) => COMPLEXITIES.indexOf(MAX_COMPLEXITY[each]) >= COMPLEXITIES.indexOf(context.complexity));
      return {
        reason: `"${context.name}" has complexity ${context.complexity}, and level ${level} runs contexts up to ${most}`,
        unlock: await levels.unlockHint(user, needed ?? 'advanced'),
      };
    },
  };
  return levels;
}

/** The level that a tool needs, where it needs one. */
export function neededLevel(tool: Tool & { level?: Level }): Level | undefined {
  return tool.level;
}

/** Refuses tools above the user's level, with what unlocks them. */
export function levelGuard(levels: Levels): Step {
  return async (invocation, next) => {
    const { tool } = invocation;
    const needed = neededLevel(tool);
    if (!needed) return next();
    const user = identified(invocation);
    const level = await levels.levelOf(user);
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(needed)) return next();
    throw new Failure('locked', `${tool.name} opens at level ${needed}; your level is ${level}`, {
      details: { level, needed },
      fix: { instruction: await levels.unlockHint(user, needed) },
    });
  };
}

function neededFor(level: Level, thresholds: Thresholds): number {
  return level === 'beginner' ? 0 : thresholds[level];
}

function earned(successes: number, thresholds: Thresholds): Level {
  if (successes >= thresholds.advanced) return 'advanced';
  return successes >= thresholds.intermediate ? 'intermediate' : 'beginner';
}

/** A level that an account was given counts only when it is one of ours. */
function higher(given: string, earned: Level): Level {
  const level = LEVELS.find((each) => each === given) ?? 'beginner';
  return LEVELS.indexOf(level) >= LEVELS.indexOf(earned) ? level : earned;
}
