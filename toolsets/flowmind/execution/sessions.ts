import { randomUUID } from 'node:crypto';
import type { Catalog, Clock, Log, Reply, User } from '@millrace/kernel';
import type { Generator } from '@millrace/models';
import { isHeld, processName } from '@millrace/storage';
import type { Conditions } from '../conditions/conditions.ts';
import type { ContextRegistry } from '../contexts/registry.ts';
import type { ContextDefinition } from '../flow/context.ts';
import { Machine } from '../flow/machine.ts';
import { initialState, type Mode, type RunOptions, type SessionState, type ToolTraits, type Wait } from '../flow/state.ts';
import { initialVariables } from '../flow/variables.ts';
import type { Teacher } from '../teaching/teacher.ts';
import { Driver } from './driver.ts';
import type { EffectPorts } from './effects.ts';
import { ended, locked, sessionNotFound, unknownContext, variablesRefused, wrongContext } from './failures.ts';
import { ProgramCache, Programs } from './programs.ts';
import { askAgain, giveAnswer, openQuestion, tryAgain } from './questions.ts';
import { type Session, SessionMoved, type SessionStore, type SessionSummary, type TraceLine } from './session-store.ts';
import { patiently, Turns } from './turns.ts';
import { isEnded, openFor, type SessionView, viewOf } from './view.ts';

export interface SessionPorts {
  store: SessionStore;
  registry: ContextRegistry;
  teacher: Teacher;
  conditions: Conditions;
  generator: Generator | undefined;
  catalog(): Catalog;
  clock: Clock;
  log: Log;
  /** How long a question can be answered. */
  questionTtlMs: number;
  /** Hands an abandoned run to a process that resumes it; this one, when it is not given. */
  handOver?(sessionId: string): Promise<void>;
}

type Move = (machine: Machine) => void;

/** Who calls, and how tools are called on their behalf. */
export interface Caller {
  user: User;
  signal: AbortSignal;
  callTool(tool: string, parameters: unknown, signal: AbortSignal): Promise<Reply>;
  progress(done: number, message: string): void;
  /** When the call has to be answered, by performance.now(): one patience for all that it waits for. */
  until: number;
}

export type RunDemands = { mode?: Mode | undefined } & { [Key in Exclude<keyof RunOptions, 'mode'>]?: RunOptions[Key] | undefined };

export interface StartRequest {
  uri: string;
  variables: Record<string, unknown>;
  demands: RunDemands;
  /** The id that an earlier round of the same call has chosen. */
  sessionId?: string;
}

export interface ContinueRequest {
  uri: string;
  sessionId: string;
  demands: RunDemands;
  answer?: { question_id: string; value: unknown } | undefined;
}

const DEFAULTS: RunOptions = {
  mode: 'interactive',
  minConfidence: undefined,
  confirmBelow: undefined,
  maxSteps: 50,
  maxDurationMs: 300_000,
  approvals: [],
};

/** Sessions: started, continued, looked at, cancelled, and resumed after a crash. */
export class Sessions {
  readonly #ports: SessionPorts;
  readonly #programs: ProgramCache;
  readonly #turns = new Turns();
  readonly #stop = new AbortController();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#programs = new ProgramCache(ports.store);
  }

  async start(request: StartRequest, caller: Caller): Promise<SessionView> {
    const id = request.sessionId ?? randomUUID();
    if (request.sessionId) {
      const known = await this.#ports.store.find(id, caller.user.id);
      if (known) return this.continue({ uri: request.uri, sessionId: id, demands: {} }, caller);
    }
    const definition = await this.runnable(request.uri, caller.user);
    const { variables, missing, problems } = initialVariables(definition, request.variables);
    if (missing.length > 0 || problems.length > 0) throw variablesRefused(definition, missing, problems);
    const programs = new Programs(this.#programs);
    const state = initialState(definition.uri, '', variables, demanded(DEFAULTS, request.demands));
    programs.pin(state, definition.uri, definition);
    const now = this.#ports.clock.now().toISOString();
    const session: Session = {
      id,
      user: caller.user,
      uri: definition.uri,
      name: definition.name,
      mode: state.options.mode,
      status: 'running',
      reason: null,
      version: 0,
      state,
      lease: undefined,
      createdAt: now,
      updatedAt: now,
    };
    return this.#turns.take(id, () =>
      this.#drive(session, programs, caller, (machine) => machine.note('started', '', { uri: session.uri })),
    );
  }

  async continue(request: ContinueRequest, caller: Caller): Promise<SessionView> {
    const { sessionId: id } = request;
    const waited = await patiently(this.#turns.current(id), caller.until);
    if (waited === 'late') return viewOf(await this.#own(id, caller.user));
    return this.#turns.take(id, () => this.#continueTurn(request, caller));
  }

  async #continueTurn(request: ContinueRequest, caller: Caller): Promise<SessionView> {
    const session = await this.#own(request.sessionId, caller.user);
    if (session.uri !== request.uri) throw wrongContext(session);
    if (isEnded(session.status)) {
      if (request.answer && !session.state.closed.includes(request.answer.question_id)) throw ended(session);
      return viewOf(session, request.answer && ALREADY);
    }
    if (session.status === 'running' && this.#isElsewhere(session)) return viewOf(session);
    session.user = caller.user;
    const changed = this.#applyDemands(session, request.demands);
    const programs = new Programs(this.#programs);
    await programs.load(session.state);
    const { answer } = request;
    if (answer && session.state.closed.includes(answer.question_id)) return viewOf(session, ALREADY);
    const move = this.#moveOf(session.state, answer, changed);
    return move ? this.#drive(session, programs, caller, move) : viewOf(session);
  }

  /** What a call does to a resting session; undefined when there is nothing to do but look. */
  #moveOf(state: SessionState, answer: ContinueRequest['answer'], changed: boolean): Move | undefined {
    if (answer) return (machine) => giveAnswer(machine, answer);
    const question = openQuestion(state);
    if (!question) return () => {};
    if (question.expiresAt <= this.#ports.clock.now().toISOString()) return (machine) => askAgain(machine, question);
    const canGenerate = this.#ports.generator !== undefined || state.options.mode !== 'autonomous';
    if (question.reason === 'model_required' && canGenerate) return (machine) => tryAgain(machine, question);
    return changed ? () => {} : undefined;
  }

  /** Resumes a run that another process abandoned; false when there is nothing to resume. */
  async resume(sessionId: string): Promise<boolean> {
    const session = await this.#ports.store.find(sessionId);
    if (session?.status !== 'running' || this.#isElsewhere(session)) return false;
    const caller = this.#onBehalfOf(session.user);
    await this.#turns.take(sessionId, () => this.#continueTurn({ uri: session.uri, sessionId, demands: {} }, caller));
    return true;
  }

  /** Resumes every autonomous run whose process is gone. Interactive ones wait for their user's next call. */
  async recover(): Promise<number> {
    await this.#ports.store.purge(new Date(this.#ports.clock.now().getTime() - KEPT_MS));
    const abandoned = (await this.#ports.store.running()).filter((session) => session.mode === 'autonomous' && !this.#isElsewhere(session));
    const handOver = this.#ports.handOver ?? (async (id: string) => void (await this.resume(id)));
    for (const { id } of abandoned) {
      handOver(id).catch((error: unknown) =>
        this.#ports.log.error({ err: error, session: id }, 'an abandoned session could not be resumed'),
      );
    }
    return abandoned.length;
  }

  /** The open question, when it is one that a client can put to its person. */
  async openForPerson(id: string, user: User): Promise<Pick<Wait, 'id' | 'text' | 'answer'> | null> {
    const session = await this.#own(id, user);
    const question = openFor(session);
    if (question?.audience !== 'person' || question.answer.kind === 'object') return null;
    return { id: question.id, text: question.text, answer: question.answer };
  }

  list(options: { userId?: string; status?: string; limit: number }): Promise<SessionSummary[]> {
    return this.#ports.store.list(options);
  }

  async trace(id: string): Promise<{ session: Session; lines: TraceLine[] } | undefined> {
    const session = await this.#ports.store.find(id);
    return session && { session, lines: await this.#ports.store.trace(id) };
  }

  /** Ends a session; a running one is stopped by its next transition. */
  async cancel(id: string): Promise<Session | undefined> {
    for (;;) {
      const session = await this.#ports.store.find(id);
      if (!session || isEnded(session.status)) return session;
      session.status = 'cancelled';
      session.reason = 'cancelled';
      session.lease = undefined;
      try {
        await this.#ports.store.commit(session, { events: [{ kind: 'cancelled', node: '', data: {} }], writes: [], definitions: [] });
        await this.#finished(session);
        return session;
      } catch (error) {
        if (!(error instanceof SessionMoved)) throw error;
      }
    }
  }

  /** Stops what runs here; another process, or the next start, resumes it. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#turns.idle();
  }

  /** A context that exists and that the user may run. */
  async runnable(uri: string, user: User): Promise<ContextDefinition> {
    const definition = await this.#unlocked(uri, user);
    if (!definition) throw unknownContext(uri, await this.#ports.registry.nearest(uri, user.id));
    return definition;
  }

  async #unlocked(uri: string, user: User): Promise<ContextDefinition | undefined> {
    const definition = await this.#ports.registry.get(uri, user.id);
    const refusal = definition && (await this.#ports.teacher.refusal(definition, user));
    if (definition && refusal) throw locked(definition, refusal);
    return definition;
  }

  /** Whether another process is at work on it right now. */
  #isElsewhere({ lease }: Session): boolean {
    return lease !== undefined && lease.holder !== processName && isHeld(lease, this.#ports.clock);
  }

  async #own(id: string, user: User): Promise<Session> {
    const session = SESSION_ID.test(id) ? await this.#ports.store.find(id, user.id) : undefined;
    if (!session) throw sessionNotFound(id);
    return session;
  }

  #applyDemands(session: Session, demands: RunDemands): boolean {
    const { state } = session;
    const options = demanded(state.options, demands);
    const switched = options.mode !== state.options.mode;
    if (options.maxSteps !== state.options.maxSteps) state.stepBudget = Math.max(state.stepBudget, options.maxSteps);
    state.options = options;
    session.mode = options.mode;
    return switched;
  }

  /** Drives the session and shows its state at the next pause, or after a while that it is still running. */
  async #drive(session: Session, programs: Programs, caller: Caller, begin: Move): Promise<SessionView> {
    const hand = new AbortController();
    const signal = AbortSignal.any([hand.signal, this.#stop.signal]);
    const abandon = () => hand.abort();
    caller.signal.addEventListener('abort', abandon, { once: true });
    if (caller.signal.aborted) abandon();
    const machine = this.#machine(session, programs);
    begin(machine);
    const driver = new Driver(session, machine, {
      ...this.#ports,
      programs,
      effects: this.#effects(session, caller),
      signal,
      leaving: this.#stop.signal,
      progress: caller.progress,
    });
    const run = driver.run().then(() => this.#finished(session));
    let detached = false;
    const settled = run.catch((error: unknown) => {
      if (detached) this.#ports.log.error({ err: error, session: session.id }, 'a session stopped in the middle');
    });
    this.#turns.extend(session.id, settled);
    try {
      if ((await patiently(run, caller.until)) === 'late') {
        detached = true;
        await driver.checkpoint();
      }
      return viewOf(session);
    } catch (error) {
      if (!(error instanceof SessionMoved)) throw error;
      const current = await this.#ports.store.find(session.id, session.user.id);
      if (!current) throw sessionNotFound(session.id);
      return viewOf(current, 'The session moved on through another call meanwhile.');
    } finally {
      // From here on the run is detached: its caller can no longer stop it.
      caller.signal.removeEventListener('abort', abandon);
    }
  }

  #machine(session: Session, programs: Programs): Machine {
    return new Machine(session.state, {
      program: (uri) => programs.get(uri),
      tool: (name) => this.traits(name),
      now: () => this.#ports.clock.now(),
      hasModel: this.#ports.generator !== undefined,
      questionTtlMs: this.#ports.questionTtlMs,
    });
  }

  traits(name: string): ToolTraits | undefined {
    const tool = this.#ports.catalog().find(name)?.tool;
    return (
      tool && { readOnly: tool.access === 'read', idempotent: tool.annotations.idempotentHint, openWorld: tool.annotations.openWorldHint }
    );
  }

  #effects(session: Session, caller: Caller): EffectPorts {
    return {
      ...this.#ports,
      callTool: caller.callTool,
      load: (uri) => this.#unlocked(uri, session.user),
      restore: (key) => this.#ports.store.savedState(session.user.id, key),
    };
  }

  async #finished(session: Session): Promise<void> {
    const { id: sessionId, user, uri, status } = session;
    if (isEnded(status)) await this.#ports.teacher.sessionEnded({ sessionId, userId: user.id, uri, status });
  }

  #onBehalfOf(user: User): Caller {
    return {
      user,
      signal: this.#stop.signal,
      callTool: (tool, parameters, signal) =>
        this.#ports.catalog().call(tool, parameters, { credentials: { kind: 'none' }, onBehalfOf: user, signal }),
      progress: () => {},
      until: Number.POSITIVE_INFINITY,
    };
  }
}

/** Sessions that have ended, or that nobody has touched, are kept this long. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const SESSION_ID = /^[0-9a-f-]{36}$/;
const ALREADY = 'That question was answered before; nothing was done again. This is how the session stands.';

function demanded(options: RunOptions, demands: RunDemands): RunOptions {
  const given = Object.fromEntries(Object.entries(demands).filter(([, value]) => value !== undefined));
  return { ...options, ...given };
}
