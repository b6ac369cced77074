import { LEVELS, type Level, type User } from '@millrace/kernel';
import { COMPLEXITIES, type Complexity, type ContextDefinition } from '../language/context.ts';

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

export const DEFAULT_THRESHOLDS: Thresholds = { intermediate: 10, advanced: 50 };

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

function neededFor(level: Level, thresholds: Thresholds): number {
  return level === 'beginner' ? 0 : thresholds[level];
}

function earned(successes: number, thresholds: Thresholds): Level {
  if (successes >= thresholds.advanced) return 'advanced';
  return successes >= thresholds.intermediate ? 'intermediate' : 'beginner';
}

function higher(left: Level, right: Level): Level {
  return LEVELS.indexOf(left) >= LEVELS.indexOf(right) ? left : right;
}
