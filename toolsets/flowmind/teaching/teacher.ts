import { createHash } from 'node:crypto';
import type { Catalog, Clock, Failure, Log, User } from '@millrace/kernel';
import { LEVELS, type Level, type Store } from '@millrace/storage';
import type { FieldRequest, FieldRequestResult } from '../discovery/request.ts';
import type { ContextDefinition } from '../language/context.ts';
import { type Levels, neededLevel, type Standing } from '../levels/levels.ts';
import type { Enhancement, FinishedCall, NextAction, Teacher, Teaching } from '../ports.ts';
import { type Learner, Learners, type Prediction } from './learners.ts';
import { LESSONS, type Lesson, type Taught } from './lessons.ts';
import type { TeachingTables } from './migrations.ts';
import { permitted, proposed } from './next-actions.ts';
import { calibrationText, Outcomes } from './outcomes.ts';

export interface TeacherOptions {
  store: Store<TeachingTables>;
  levels: Levels;
  catalog(): Catalog;
  clock: Clock;
  log: Log;
  contextOf(uri: string, userId: string): Promise<ContextDefinition | undefined>;
}

export interface MeasuringTeacher extends Teacher {
  /** How often each context was run to an end. */
  popularity(): Promise<Map<string, number>>;
}

export function createTeacher(options: TeacherOptions): MeasuringTeacher {
  return new FlowmindTeacher(options);
}

const OPENED: Record<Level, readonly string[]> = {
  beginner: [],
  intermediate: ['execute_workflow', 'evaluate_semantic_condition'],
  advanced: ['compose_workflow', 'list_available_contexts'],
};

class FlowmindTeacher implements MeasuringTeacher {
  readonly #options: TeacherOptions;
  readonly #learners: Learners;
  readonly #outcomes: Outcomes;

  constructor(options: TeacherOptions) {
    this.#options = options;
    this.#learners = new Learners(options.store, options.clock);
    this.#outcomes = new Outcomes(options.store, options.clock);
  }

  async enhance(call: FinishedCall): Promise<Enhancement> {
    const { user } = call;
    const standing = await this.#options.levels.counted(user, call.tool, hashOf(call.input));
    const lessons = LESSONS.filter((lesson) => lesson.tool === call.tool);
    const used = lessons.filter((lesson) => lesson.used(call)).map((lesson) => lesson.id);
    const learner = await this.#learners.read(user.id);
    const kept = call.tool === 'field_request' ? rulesTaught(learner) : [];
    const changed = this.#learners.observe(learner, [...lessons.map((lesson) => lesson.id), ...kept], [...used, ...kept]);
    const next = await this.#nextLesson(call, learner, lessons, used);
    if (next) changed.push(this.#learners.taught(learner, next.id));
    await this.#learners.save(user.id, changed, predictionOf(call));
    return {
      teaching: await this.#teaching(call, learner, next?.taught, used, standing.opened),
      next_actions: await permitted(proposed(call), (action) => this.#may(action, user)),
      _insights: insightsOf(call, learner),
      _unlocks: unlocksOf(standing),
    };
  }

  /** A broken rule is a lesson too: the next request shows whether it was understood. */
  async afterFailure({ tool, user }: Omit<FinishedCall, 'result'>, failure: Failure): Promise<{ guidance?: Record<string, unknown> }> {
    if (failure.code !== 'invalid_input') return {};
    const learner = await this.#learners.read(user.id);
    const rule = `${RULE}${tool}:${String(failure.details['code'] ?? 'INVALID_ARGUMENTS')}`;
    const again = this.#learners.observe(learner, [rule], []);
    await this.#learners.save(user.id, learner.lessons.has(rule) ? again : [this.#learners.taught(learner, rule)]);
    return {};
  }

  refusal(...[context, user]: Parameters<Teacher['refusal']>): ReturnType<Teacher['refusal']> {
    return this.#options.levels.refusal(context, user);
  }

  sessionEnded(outcome: Parameters<Teacher['sessionEnded']>[0]): Promise<void> {
    return this.#outcomes.ended(outcome);
  }

  popularity(): Promise<Map<string, number>> {
    return this.#outcomes.popularity();
  }

  async #teaching(
    call: FinishedCall,
    learner: Learner,
    taught: Taught | undefined,
    used: readonly string[],
    opened: Level | undefined,
  ): Promise<Teaching> {
    const level = teachingLevel(learner);
    const calibration = call.tool === 'field_request' ? await this.#outcomes.calibration(call.user.id) : undefined;
    return {
      level,
      ...(taught ?? { message: praise(call, level, used.length) }),
      ...(calibration && { confidence_calibration: calibrationText(calibration) }),
      ...(opened && { unlock: OPENED[opened].map((tool) => `${tool} tool now available`).join(', ') }),
    };
  }

  /** The first lesson that applies, that the caller does not use yet and has not been taught before. */
  async #nextLesson(
    call: FinishedCall,
    learner: Learner,
    lessons: readonly Lesson[],
    used: readonly string[],
  ): Promise<{ id: string; taught: Taught } | undefined> {
    const withDomain = call.tool === 'field_request' ? { ...call, domain: await this.#domainOf(call) } : call;
    for (const lesson of lessons) {
      if (used.includes(lesson.id) || learner.lessons.get(lesson.id)?.taughtAt !== undefined) continue;
      const taught = lesson.taught(withDomain);
      if (taught) return { id: lesson.id, taught };
    }
    return undefined;
  }

  async #domainOf(call: FinishedCall): Promise<string | undefined> {
    const uri = (call.result as FieldRequestResult).matches[0]?.uri;
    return uri === undefined ? undefined : (await this.#options.contextOf(uri, call.user.id))?.domain;
  }

  /** The tool is here, takes these parameters, and the user's level reaches it and the context that it runs. */
  async #may(action: NextAction, user: User): Promise<boolean> {
    const entry = this.#options.catalog().find(action.tool);
    if (!entry?.tool.input.safeParse(action.parameters).success) return false;
    const level = await this.#options.levels.levelOf(user);
    const needed = neededLevel(entry.tool);
    if (needed && LEVELS.indexOf(level) < LEVELS.indexOf(needed)) return false;
    const uri = action.parameters['workflow_uri'];
    const context = typeof uri === 'string' ? await this.#options.contextOf(uri, user.id) : undefined;
    return !context || (await this.refusal(context, user)) === undefined;
  }
}

function predictionOf(call: FinishedCall): Prediction | undefined {
  if (call.tool !== 'field_request') return undefined;
  const offered = (call.result as FieldRequestResult).matches.map((match) => match.uri);
  return { callId: call.id, stated: (call.input as FieldRequest).confidence_level, offered };
}

const RULE = 'rule:';

/** Rules that this user has broken before: a request that passes has kept them. */
function rulesTaught({ lessons }: Learner): string[] {
  return [...lessons.keys()].filter((lesson) => lesson.startsWith(`${RULE}field_request`));
}

/** A first call is a beginner's; after that, it is what the calls use that counts. */
function teachingLevel({ isNew, lessons }: Learner): Teaching['level'] {
  const uses = [...lessons.values()].filter((lesson) => lesson.usedAt !== undefined && !lesson.lesson.startsWith(RULE)).length;
  if (isNew || uses === 0) return 'beginner';
  return uses >= 3 ? 'advanced' : 'intermediate';
}

function praise(call: FinishedCall, level: Teaching['level'], used: number): string {
  const extracted = call.tool === 'field_request' && Object.keys((call.input as FieldRequest).extracted_variables ?? {}).length > 0;
  if (extracted && level === 'advanced') return 'Excellent variable extraction! Nothing to add.';
  return used > 0 ? 'Good use of what there is. Nothing to add to this call.' : 'Nothing new to learn from this call.';
}

function insightsOf(call: FinishedCall, { lessons }: Learner): Record<string, unknown> {
  const taught = [...lessons.values()].filter((lesson) => lesson.taughtAt !== undefined);
  const measured = taught.filter((lesson) => lesson.improved !== undefined);
  return {
    lessons_taught: taught.length,
    lessons_measured: measured.length,
    lessons_taken_up: measured.filter((lesson) => lesson.improved).length,
    slowest_part: slowest(call),
  };
}

function slowest({ timings }: FinishedCall): string {
  const [part, ms] = Object.entries(timings).reduce((most, each) => (each[1] > most[1] ? each : most));
  return ms > 0 ? part : 'none';
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
      child !== null && typeof child === 'object' && !Array.isArray(child)
        ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
        : child,
    ) ?? ''
  );
}
