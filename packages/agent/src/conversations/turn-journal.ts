import { randomUUID } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { first, holdEnd, type KeptHold, keepHold, run, type Store } from '@millrace/storage';
import type { Step, StoredCall, TurnBegin } from './conversations.ts';
import type { AgentTables, CallStatus, MessageStatus } from './migrations.ts';

export interface JournalOptions {
  store: Store<AgentTables>;
  clock: Clock;
  begin: TurnBegin;
  holder: string;
}

export interface DecidedCall {
  callId: string;
  tool: string;
  parameters: unknown;
}

/**
 * What one turn has decided, started and finished. A call that changes something is recorded before it starts, so that
 * the record survives a killed process; everything else is written together with the next such call.
 */
export class TurnJournal {
  readonly steps: Step[];
  readonly calls: StoredCall[];
  readonly #options: JournalOptions;
  readonly #unwritten = new Set<StoredCall>();
  readonly #known: Set<string>;
  readonly #kept: KeptHold;
  #stepsWritten = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: JournalOptions) {
    this.#options = options;
    const { answer } = options.begin;
    this.steps = answer.steps;
    this.calls = answer.calls;
    this.#known = new Set(answer.calls.map((call) => call.id));
    this.#kept = keepHold(options.clock, () => this.#renew());
  }

  /** Aborted when another process has taken the turn over: this one must do nothing more. */
  get lost(): AbortSignal {
    return this.#kept.lost;
  }

  /** A complete step of the model; its calls have not started yet. */
  decide(step: Step, calls: readonly DecidedCall[]): void {
    this.steps.push(step);
    for (const call of calls) {
      const stored: StoredCall = {
        id: randomUUID(),
        position: this.calls.length,
        step: this.steps.length - 1,
        ...call,
        status: 'decided',
        output: undefined,
        startedAt: null,
      };
      this.calls.push(stored);
      this.#unwritten.add(stored);
    }
  }

  async start(call: StoredCall, changesSomething: boolean): Promise<void> {
    call.status = 'started';
    call.startedAt = this.#now();
    this.#unwritten.add(call);
    if (changesSomething) await this.flush();
  }

  finish(call: StoredCall, status: CallStatus, output: unknown): void {
    call.status = status;
    call.output = output;
    this.#unwritten.add(call);
  }

  /** Writes what is new and renews the lease. */
  async flush(): Promise<void> {
    await this.#write({}, true);
  }

  async end(status: MessageStatus, text: string): Promise<void> {
    this.#kept.stop();
    await this.#write({ status, text }, false);
  }

  async #renew(): Promise<boolean> {
    try {
      await this.flush();
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'conflict') return false;
      throw error;
    }
  }

  /** One after the other: the renewal of the lease may meet a call that begins. */
  #write(change: { status?: MessageStatus; text?: string }, continues: boolean): Promise<void> {
    const write = () => this.#writeNow(change, continues);
    this.#last = this.#last.then(write, write);
    return this.#last;
  }

  async #writeNow(change: { status?: MessageStatus; text?: string }, continues: boolean): Promise<void> {
    const { store, clock, begin, holder } = this.#options;
    const now = this.#now();
    const written = [...this.#unwritten];
    const fresh = written.filter((call) => !this.#known.has(call.id)).map((call) => rowOf(call, begin.answer.id, now));
    const changed = written.filter((call) => this.#known.has(call.id)).map((call) => rowOf(call, begin.answer.id, now));
    // A turn of a thousand calls would otherwise write a thousand times what it has said.
    const stepsNow = this.steps.length;
    const steps = stepsNow === this.#stepsWritten ? {} : { steps: JSON.stringify(this.steps) };
    const lease = continues ? { turn_until: holdEnd(clock) } : { turn_holder: null, turn_until: null, updated_at: now };
    this.#unwritten.clear();
    await store.transaction(function* (db) {
      const conversation = yield* first(db.selectFrom('conversations').select('turn_holder').where('id', '=', begin.conversation.id));
      if (conversation?.turn_holder !== holder) throw takenOver();
      yield* run(db.updateTable('conversations').set(lease).where('id', '=', begin.conversation.id));
      yield* run(
        db
          .updateTable('messages')
          .set({ ...change, ...steps, updated_at: now })
          .where('id', '=', begin.answer.id),
      );
      if (fresh.length > 0) yield* run(db.insertInto('message_calls').values(fresh));
      for (const { id, status, output, started_at, finished_at } of changed) {
        yield* run(db.updateTable('message_calls').set({ status, output, started_at, finished_at }).where('id', '=', id));
      }
    });
    this.#stepsWritten = stepsNow;
    for (const row of fresh) this.#known.add(row.id);
  }

  #now(): string {
    return this.#options.clock.now().toISOString();
  }
}

function rowOf(call: StoredCall, messageId: string, now: string): AgentTables['message_calls'] {
  return {
    id: call.id,
    message_id: messageId,
    position: call.position,
    step: call.step,
    call_id: call.callId,
    tool: call.tool,
    parameters: JSON.stringify(call.parameters ?? null),
    status: call.status,
    output: call.output === undefined ? null : JSON.stringify(call.output),
    started_at: call.startedAt,
    finished_at: call.status === 'success' || call.status === 'failure' ? now : null,
  };
}

function takenOver(): Failure {
  return new Failure('conflict', 'Another process has taken over this conversation', {
    fix: { instruction: 'Look at the conversation to see what was done' },
  });
}
