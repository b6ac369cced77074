import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { type Catalog, type Clock, Failure, identified, isRecord, type Step, type User } from '@millrace/kernel';
import type { Generator } from '@millrace/models';
import { LEVELS, type Level, type Store } from '@millrace/storage';
import type { ContextRegistry } from '../contexts/registry.ts';
import type { ContextDefinition } from '../flow/context.ts';
import type { TeachingTables } from '../migrations.ts';
import { type FinishedCall, isCallOf, LESSONS, type NextAction, proposedAfter, type Taught, type Timings } from './lessons.ts';
import { type Levels, neededLevel, type Refusal, type Standing } from './levels.ts';
import { type Calibration, type Learner, type Prediction, type SessionOutcome, TeachingStore } from './teaching-store.ts';

export interface TeacherOptions {
  store: Store<TeachingTables>;
  levels: Levels;
  catalog(): Catalog;
  clock: Clock;
  registry: Pick<ContextRegistry, 'get'>;
}

export interface Teaching extends Taught {
  level: Level;
  confidence_calibration?: string;
  unlock?: string;
}

/** What every successful reply carries beside its result. */
export interface ReplyNotes {
  enhancement: Enhancement;
  timings: Timings;
}

export interface Enhancement {
  teaching: Teaching;
  next_actions: NextAction[];
  _insights: Record<string, unknown>;
  _unlocks: Record<string, unknown>;
}

const OPENED: Record<Level, readonly string[]> = {
  beginner: [],
  intermediate: ['execute_workflow', 'evaluate_semantic_condition'],
  advanced: ['compose_workflow', 'list_available_contexts'],
};

const MOST_ACTIONS = 3;

/** Teaching, levels and their limits. */
export class Teacher {
  readonly #options: TeacherOptions;
  readonly #store: TeachingStore;

  constructor(options: TeacherOptions) {
    this.#options = options;
    this.#store = new TeachingStore(options.store, options.clock);
  }

  /** Runs after each successful call of a FlowMind tool. */
  async enhance(call: FinishedCall): Promise<Enhancement> {
    const { user } = call;
    const standing = await this.#options.levels.counted(user, call.tool, hashOf(call.input));
    const lessons = LESSONS.filter((lesson) => lesson.tool === call.tool);
    const used = lessons.filter((lesson) => lesson.used(call)).map((lesson) => lesson.id);
    const learner = await this.#store.learner(user.id);
    const kept = call.tool === 'field_request' ? rulesTaught(learner) : [];
    const changed = this.#store.observe(learner, [...lessons.map((lesson) => lesson.id), ...kept], [...used, ...kept]);
    const next = await this.#nextLesson(call, learner, used);
    if (next) changed.push(this.#store.teach(learner, next.id));
    await this.#store.save(user.id, changed, predictionOf(call));
    return {
      teaching: await this.#teaching(call, learner, next?.taught, used, standing.opened),
      next_actions: await this.#permitted(proposedAfter(call), user),
      _insights: insightsOf(call, learner),
      _unlocks: unlocksOf(standing),
    };
  }

  /** Runs after each failed call that passed validation. A broken rule is a lesson too: the next request shows whether it was understood. */
  async afterFailure({ tool, user }: Omit<FinishedCall, 'result'>, failure: Failure): Promise<void> {
    if (failure.code !== 'invalid_input') return;
    const learner = await this.#store.learner(user.id);
    const rule = `${RULE}${tool}:${String(failure.details['code'] ?? 'INVALID_ARGUMENTS')}`;
    const again = this.#store.observe(learner, [rule], []);
    await this.#store.save(user.id, learner.lessons.has(rule) ? again : [this.#store.teach(learner, rule)]);
  }

  /** Undefined when the user may run the context. */
  refusal(context: ContextDefinition, user: User): Promise<Refusal | undefined> {
    return this.#options.levels.refusal(context, user);
  }

  /** The outcome of a session counts for popularity and calibration. */
  sessionEnded(outcome: SessionOutcome): Promise<void> {
    return this.#store.ended(outcome);
  }

  /** How often each context was run to its end. */
  popularity(): Promise<Map<string, number>> {
    return this.#store.popularity();
  }

  async #teaching(
    call: FinishedCall,
    learner: Learner,
    taught: Taught | undefined,
    used: readonly string[],
    opened: Level | undefined,
  ): Promise<Teaching> {
    const level = teachingLevel(learner);
    const calibration = call.tool === 'field_request' ? await this.#store.calibration(call.user.id) : undefined;
    return {
      level,
      ...(taught ?? { message: praise(call, level, used.length) }),
      ...(calibration && { confidence_calibration: calibrationText(calibration) }),
      ...(opened && { unlock: OPENED[opened].map((tool) => `${tool} tool now available`).join(', ') }),
    };
  }

  /** The first lesson that applies, that the caller does not use yet and has not been taught before. */
  async #nextLesson(call: FinishedCall, learner: Learner, used: readonly string[]): Promise<{ id: string; taught: Taught } | undefined> {
    const domain = await this.#domainOf(call);
    for (const lesson of LESSONS) {
      if (used.includes(lesson.id) || (learner.lessons.get(lesson.id)?.taught_at ?? null) !== null) continue;
      const taught = lesson.taught(call, domain);
      if (taught) return { id: lesson.id, taught };
    }
    return undefined;
  }

  async #domainOf(call: FinishedCall): Promise<ContextDefinition['domain']> {
    const uri = isCallOf(call, 'field_request') ? call.result.matches[0]?.uri : undefined;
    return uri === undefined ? undefined : (await this.#options.registry.get(uri, call.user.id))?.domain;
  }

  /** Only calls that this user may make as they are, without duplicates. */
  async #permitted(actions: readonly NextAction[], user: User): Promise<NextAction[]> {
    const kept = new Map<string, NextAction>();
    for (const action of actions) {
      if (kept.size < MOST_ACTIONS && (await this.#may(action, user))) kept.set(JSON.stringify([action.tool, action.parameters]), action);
    }
    return [...kept.values()];
  }

  /** The tool exists, takes these parameters, and the user's level opens it and the context that it runs. */
  async #may(action: NextAction, user: User): Promise<boolean> {
    const entry = this.#options.catalog().find(action.tool);
    if (!entry?.tool.input.safeParse(action.parameters).success) return false;
    const level = await this.#options.levels.levelOf(user);
    const needed = neededLevel(entry.tool);
    if (needed && LEVELS.indexOf(level) < LEVELS.indexOf(needed)) return false;
    const uri = action.parameters['workflow_uri'];
    const context = typeof uri === 'string' ? await this.#options.registry.get(uri, user.id) : undefined;
    return !context || (await this.refusal(context, user)) === undefined;
  }
}

/** Puts the teaching, the next actions and the measured times beside every result. */
export function enhance(teacher: Teacher): Step {
  return async (invocation, next) => {
    const { id, tool, input } = invocation;
    const timings: Timings = { alpha_llm: 0, search: 0, assembly: 0 };
    const call = { id, tool: tool.name, user: identified(invocation), input, timings };
    try {
      const passed = await running.run(timings, next);
      if (passed.outcome.kind === 'question') return passed;
      const assembling = performance.now();
      const finished: FinishedCall = { ...call, result: passed.outcome.value };
      if (isCallOf(finished, 'field_request')) {
        const { search_time_ms, embedding_time_ms } = finished.result._metadata;
        timings.search = search_time_ms + embedding_time_ms;
      }
      const enhancement = await teacher.enhance(finished);
      timings.assembly = performance.now() - assembling;
      const notes: ReplyNotes = { enhancement, timings };
      return { ...passed, outcome: { ...passed.outcome, notes } };
    } catch (error) {
      if (error instanceof Failure) await teacher.afterFailure(call, error);
      throw error;
    }
  };
}

/** The times of the call that runs now. */
const running = new AsyncLocalStorage<Timings>();

/** A language model whose time counts for the call that uses it. */
export function timed(generator: Generator): Generator {
  return {
    provider: generator.provider,
    model: generator.model,
    async generate(options) {
      const started = performance.now();
      try {
        return await generator.generate(options);
      } finally {
        const timings = running.getStore();
        if (timings) timings.alpha_llm += performance.now() - started;
      }
    },
  };
}

function predictionOf(call: FinishedCall): Prediction | undefined {
  if (!isCallOf(call, 'field_request')) return undefined;
  return { callId: call.id, stated: call.input.confidence_level, offered: call.result.matches.map((match) => match.uri) };
}

const RULE = 'rule:';

/** Rules that this user has broken before: a request that passes has kept them. */
function rulesTaught({ lessons }: Learner): string[] {
  return [...lessons.keys()].filter((lesson) => lesson.startsWith(`${RULE}field_request`));
}

/** A first call is a beginner's; after that, it is what the calls use that counts. */
function teachingLevel({ isNew, lessons }: Learner): Level {
  const uses = [...lessons.values()].filter((lesson) => lesson.used_at !== null && !lesson.lesson.startsWith(RULE)).length;
  if (isNew || uses === 0) return 'beginner';
  return uses >= 3 ? 'advanced' : 'intermediate';
}

function praise(call: FinishedCall, level: Level, used: number): string {
  const extracted = isCallOf(call, 'field_request') && Object.keys(call.input.extracted_variables ?? {}).length > 0;
  if (extracted && level === 'advanced') return 'Excellent variable extraction! Nothing to add.';
  return used > 0 ? 'Good use of what there is. Nothing to add to this call.' : 'Nothing new to learn from this call.';
}

function insightsOf(call: FinishedCall, { lessons }: Learner): Record<string, unknown> {
  const taught = [...lessons.values()].filter((lesson) => lesson.taught_at !== null);
  const measured = taught.filter((lesson) => lesson.improved !== null);
  return {
    lessons_taught: taught.length,
    lessons_measured: measured.length,
    lessons_taken_up: measured.filter((lesson) => lesson.improved === 1).length,
    slowest_part: slowest(call),
  };
}

function slowest({ timings }: FinishedCall): string {
  const [part, ms] = Object.entries(timings).reduce((most, each) => (each[1] > most[1] ? each : most));
  return ms > 0 ? part : 'none';
}

function calibrationText({ stated, actual, requests }: Calibration): string {
  const over = requests === 1 ? 'your finished request' : `your last ${requests} finished requests`;
  const compared = `Your ${stated.toFixed(2)} was actually ${actual.toFixed(2)} over ${over}`;
  if (Math.abs(stated - actual) < 0.1) return `${compared} - well judged`;
  return actual > stated ? `${compared} - be more confident!` : `${compared} - be more careful`;
}

function unlocksOf({ level, successes, next }: Standing): Record<string, unknown> {
  return {
    level,
    successful_calls: successes,
    ...(next && { next_level: next.level, calls_missing: next.missing, opens: OPENED[next.level] }),
  };
}

function hashOf(input: unknown): string {
  return createHash('sha256').update(sortedJson(input)).digest('base64url').slice(0, 27);
}

function sortedJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, child: unknown) =>
      isRecord(child) ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1))) : child,
    ) ?? ''
  );
}
