import { Failure, identified, type Step, type Tool, type User } from '@millrace/kernel';
import { LEVELS, type Level } from '@millrace/storage';
import { COMPLEXITIES, type Complexity, type ContextDefinition } from '../flow/context.ts';
import { DEFAULT_THRESHOLDS } from '../settings.ts';

/** Counts a user's successful calls with distinct arguments. */
export interface SuccessCounter {
  /** Returns the user's new total. */
  countDistinctSuccess(userId: string, tool: string, argumentsHash: string): Promise<number>;
  distinctSuccesses(userId: string): Promise<number>;
}

export interface Standing {
  level: Level;
  successes: number;
  /** Undefined on the highest level. */
  next: { level: Level; missing: number } | undefined;
}

/** Why a user may not run a context, in words, and what unlocks it. */
export interface Refusal {
  reason: string;
  unlock: string;
}

const MAX_COMPLEXITY: Record<Level, Complexity> = { beginner: 'simple', intermediate: 'moderate', advanced: 'expert' };

export interface LevelsOptions {
  counter: SuccessCounter;
  /** What people type to start this program. */
  program(): string;
  /** How many successful calls with distinct arguments open a level. */
  thresholds?: Partial<typeof DEFAULT_THRESHOLDS> | undefined;
}

/** What users have earned, and what that opens to them. */
export class Levels {
  readonly #counter: SuccessCounter;
  readonly #program: () => string;
  readonly #needed: Record<Level, number>;

  constructor({ counter, program, thresholds }: LevelsOptions) {
    this.#counter = counter;
    this.#program = program;
    this.#needed = { beginner: 0, ...DEFAULT_THRESHOLDS, ...thresholds };
  }

  async levelOf(user: User): Promise<Level> {
    if (user.owner || user.level === 'advanced') return 'advanced';
    return (await this.standing(user)).level;
  }

  /** What a user has to do for a level, in words. */
  async unlockHint(user: User, needed: Level): Promise<string> {
    const { successes } = await this.standing(user);
    return `${this.#needed[needed]} successful calls with distinct arguments open level ${needed}; you have ${successes}. An owner can also grant it: ${this.#program()} user level`;
  }

  async standing(user: User): Promise<Standing> {
    return this.#standingWith(user, await this.#counter.distinctSuccesses(user.id));
  }

  /** Counts a success; `opened` is the level that it brought. */
  async counted(user: User, tool: string, argumentsHash: string): Promise<Standing & { opened: Level | undefined }> {
    const before = await this.standing(user);
    const standing = this.#standingWith(user, await this.#counter.countDistinctSuccess(user.id, tool, argumentsHash));
    return { ...standing, opened: standing.level === before.level ? undefined : standing.level };
  }

  /** Undefined when the user may run the context. */
  async refusal({ name, complexity }: Pick<ContextDefinition, 'name' | 'complexity'>, user: User): Promise<Refusal | undefined> {
    const level = await this.levelOf(user);
    if (runs(level, complexity)) return undefined;
    const needed = LEVELS.find((each) => runs(each, complexity)) ?? 'advanced';
    return {
      reason: `"${name}" has complexity ${complexity}, and level ${level} runs contexts up to ${MAX_COMPLEXITY[level]}`,
      unlock: await this.unlockHint(user, needed),
    };
  }

  #standingWith(user: User, successes: number): Standing {
    const level = user.owner ? 'advanced' : higher(user.level, this.#earned(successes));
    const next = LEVELS[LEVELS.indexOf(level) + 1];
    return { level, successes, next: next && { level: next, missing: Math.max(0, this.#needed[next] - successes) } };
  }

  #earned(successes: number): Level {
    if (successes >= this.#needed.advanced) return 'advanced';
    return successes >= this.#needed.intermediate ? 'intermediate' : 'beginner';
  }
}

function runs(level: Level, complexity: Complexity): boolean {
  return COMPLEXITIES.indexOf(complexity) <= COMPLEXITIES.indexOf(MAX_COMPLEXITY[level]);
}

/** A level that an account was given counts only when it is one of ours. */
function higher(given: string, earned: Level): Level {
  const level = LEVELS.find((each) => each === given) ?? 'beginner';
  return LEVELS.indexOf(level) >= LEVELS.indexOf(earned) ? level : earned;
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
