import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@millrace/kernel';
import { holdEnd, type KeptHold, keepHold, processName } from '@millrace/storage';
import type { Machine } from '../flow/machine.ts';
import type { Fiber, Limit } from '../flow/state.ts';
import { type EffectPorts, type EffectResult, perform } from './effects.ts';
import { applyResult, markInterrupted } from './outcomes.ts';
import type { Programs } from './programs.ts';
import { restingStatus } from './questions.ts';
import type { Session, SessionStore } from './session-store.ts';

export interface DriverPorts {
  store: SessionStore;
  clock: Clock;
  programs: Programs;
  effects: EffectPorts;
  /** Aborted when the caller gives up or the session is taken away. */
  signal: AbortSignal;
  /** Aborted when this process ends: the next one finishes the rest. */
  leaving: AbortSignal;
  progress(done: number, message: string): void;
}

const NODES_A_TURN = 2_000;
const MAX_NODES = 200_000;

interface Running {
  stop: AbortController;
  done: Promise<{ fiber: Fiber; result: EffectResult }>;
}

/**
 * Drives a session from one pause to the next: advances its fibers, does what they need from outside, and writes every
 * transition down before anything depends on it. An effect that must not happen twice is written down before it begins.
 */
export class Driver {
  readonly #session: Session;
  readonly #machine: Machine;
  readonly #ports: DriverPorts;
  readonly #running = new Map<string, Running>();
  /** Whether a result that would be lost with the process is still unwritten. */
  #unwritten = false;
  /** While it runs, other processes leave the session alone. */
  #kept: KeptHold | undefined;
  #writing: Promise<void> = Promise.resolve();
  #rests = false;
  #nodes = 0;
  #since = performance.now();

  constructor(session: Session, machine: Machine, ports: DriverPorts) {
    this.#session = session;
    this.#machine = machine;
    this.#ports = ports;
  }

  async run(): Promise<void> {
    markInterrupted(this.#machine);
    try {
      // Another process can take over an autonomous run from its first moment.
      if (this.#machine.state.options.mode === 'autonomous') await this.#write('running');
      while (await this.#round()) {}
    } finally {
      for (const { stop } of this.#running.values()) stop.abort();
      this.#kept?.stop();
    }
  }

  /** One round; false when the session rests. */
  async #round(): Promise<boolean> {
    const machine = this.#machine;
    const more = machine.advance(NODES_A_TURN);
    this.#account();
    if (more && !machine.state.hold) {
      this.#nodes += NODES_A_TURN;
      if (this.#nodes >= MAX_NODES) this.#hold('max_nodes', `${MAX_NODES} nodes were done without a step`);
      await nextTurn();
      return true;
    }
    const [main] = machine.state.fibers;
    if (main?.status === 'done') return this.#rest();
    if (!machine.state.hold && !this.#ports.signal.aborted) await this.#begin();
    if (this.#running.size === 0) return this.#rest();
    await this.#next();
    return true;
  }

  /** Starts every effect that can start. */
  async #begin(): Promise<void> {
    const machine = this.#machine;
    const ready = machine.state.fibers.filter((fiber) => fiber.status === 'effect' && fiber.effect && !this.#running.has(fiber.effect.id));
    const unrepeatable = ready.filter((fiber) => fiber.effect && !isRepeatable(machine, fiber.effect));
    for (const { effect } of unrepeatable) {
      if (!effect) continue;
      effect.started = true;
      machine.note('began', effect.node, effect.kind === 'tool' ? { tool: effect.tool, key: `${this.#session.id}:${effect.id}` } : {});
    }
    if (unrepeatable.length > 0 || (this.#unwritten && ready.length > 0)) await this.#write('running');
    for (const fiber of ready) this.#start(fiber);
  }

  #start(fiber: Fiber): void {
    const { effect } = fiber;
    if (!effect) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#ports.signal]);
    const top = fiber.stack.at(-1);
    const variables = top ? this.#machine.scope(top).variables : {};
    const done = perform(effect, variables, this.#ports.effects, signal).then((result) => ({ fiber, result }));
    this.#running.set(effect.id, { stop, done });
  }

  /** Waits until the next effect ends or the session runs out of time. */
  async #next(): Promise<void> {
    const { state } = this.#machine;
    const left = state.options.maxDurationMs - state.activeMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(0, left));
    });
    const first = await Promise.race([...[...this.#running.values()].map((each) => each.done), ...(state.hold ? [] : [late])]);
    clearTimeout(timer);
    this.#account();
    if (first === 'late') {
      if (!state.hold) this.#holdForTime();
      await this.#stopAll();
      return;
    }
    this.#finish(first.fiber, first.result);
  }

  #finish(fiber: Fiber, result: EffectResult): void {
    const machine = this.#machine;
    const { effect } = fiber;
    if (!effect) return;
    this.#running.delete(effect.id);
    // A task that nobody waits for any more may have been dropped meanwhile.
    if (!machine.state.fibers.includes(fiber)) return;
    if (effect.started) this.#unwritten = true;
    applyResult(machine, fiber, effect, result, this.#ports.programs);
    for (const [id, running] of this.#running) {
      if (machine.state.fibers.some((each) => each.effect?.id === id)) continue;
      running.stop.abort();
      this.#running.delete(id);
    }
    this.#ports.progress(machine.state.stepsDone, effect.node);
  }

  async #stopAll(): Promise<void> {
    for (const { stop } of this.#running.values()) stop.abort();
    for (const { done } of [...this.#running.values()]) {
      const { fiber, result } = await done;
      this.#finish(fiber, result);
    }
    this.#account();
  }

  #account(): void {
    const { state } = this.#machine;
    const now = performance.now();
    state.activeMs += now - this.#since;
    this.#since = now;
    if (state.activeMs >= state.options.maxDurationMs && !state.hold && state.fibers[0]?.status !== 'done') this.#holdForTime();
  }

  #holdForTime(): void {
    this.#hold('max_duration_ms', `The session worked for ${this.#machine.state.options.maxDurationMs} ms, which is its limit`);
  }

  #hold(reason: Limit, text: string): void {
    this.#nodes = 0;
    this.#machine.hold(reason, '', `${text}. Continue?`);
  }

  async #rest(): Promise<false> {
    this.#rests = true;
    await this.#write('resting');
    return false;
  }

  /** Writes the session while it is running, so that other calls can refer to it. */
  async checkpoint(): Promise<void> {
    if (!this.#rests) await this.#write('running');
  }

  /** Writes follow one another: each needs the version that the previous one made. */
  #write(as: 'running' | 'resting'): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow(as));
    return this.#writing;
  }

  async #writeNow(as: 'running' | 'resting'): Promise<void> {
    const session = this.#session;
    const machine = this.#machine;
    const { store, clock } = this.#ports;
    if (as === 'running') {
      session.status = 'running';
      session.reason = null;
      session.lease = { holder: processName, until: holdEnd(clock) };
      // A lease that cannot be renewed expires, and the next transition notices.
      this.#kept ??= keepHold(clock, (until) => store.renew(session.id, processName, until));
    } else {
      const { status, reason } = restingStatus(machine.state, this.#ports.signal.aborted);
      const unfinished = reason === 'interrupted' && this.#ports.leaving.aborted;
      session.status = unfinished ? 'running' : status;
      session.reason = unfinished ? null : reason;
      session.lease = undefined;
    }
    // Taken out before the write: whatever is added during it belongs to the next write.
    const events = machine.events.splice(0);
    const writes = machine.writes.splice(0);
    this.#unwritten = false;
    await store.commit(session, { events, writes, definitions: this.#ports.programs.takeNew() });
  }
}

function isRepeatable(machine: Machine, effect: NonNullable<Fiber['effect']>): boolean {
  if (effect.kind !== 'tool') return true;
  const traits = machine.ports.tool(effect.tool);
  return traits !== undefined && (traits.readOnly || traits.idempotent);
}
