import { randomUUID } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { first, run, type Store } from '@millrace/storage';
import type { Step, StoredCall, TurnBegin } from './conversations.ts';
import type { AgentTables, CallStatus, MessageStatus } from './migrations.ts';

export interface JournalOptions {
  store: Store<AgentTables>;
  clock: Clock;
  begin: TurnBegin;
  holder: string;
  leaseMs: number;
  /** Told when another process has taken the turn over: this one must do nothing more. */
  onLost(error: unknown): void;
}

export interface DecidedCall {
  callId: string;
  tool: string;
  parameters: unknown;
}

/**
 * What one turn has decided, begun and finished. A call that changes something is on disk before it begins, so that a
 * killed process leaves behind what may have happened; everything else is written along with the next such moment.
 */
export class TurnJournal {
  readonly steps: Step[];
  readonly calls: StoredCall[];
  readonly #options: JournalOptions;
  readonly #unwritten = new Set<StoredCall>();
  readonly #known: Set<string>;
  readonly #renewal: NodeJS.Timeout;
  #stepsWritten = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: JournalOptions) {
    this.#options = options;
    const { answer } = options.begin;
    this.steps = answer.steps;
    this.calls = answer.calls;
    this.#known = new Set(answer.calls.map((call) => call.id));
    this.#renewal = setInterval(() => void this.flush().catch(options.onLost), options.leaseMs / 3);
    this.#renewal.unref();
  }

  /** A step that the model has said completely; its calls are not begun yet. */
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
    clearInterval(this.#renewal);
    await this.#write({ status, text }, false);
  }

  /** One after the other: the renewal of the lease may meet a call that begins. */
  #write(change: { status?: MessageStatus; text?: string }, goesOn: boolean): Promise<void> {
    const write = () => this.#writeNow(change, goesOn);
    this.#last = this.#last.then(write, write);
    return this.#last;
  }

  async #writeNow(change: { status?: MessageStatus; text?: string }, goesOn: boolean): Promise<void> {
    const { store, begin, holder, leaseMs } = this.#options;
    const now = this.#now();
    const written = [...this.#unwritten];
    const fresh = written.filter((call) => !this.#known.has(call.id)).map((call) => rowOf(call, begin.answer.id, now));
    const changed = written.filter((call) => this.#known.has(call.id)).map((call) => rowOf(call, begin.answer.id, now));
    // A turn of a thousand calls would otherwise write a thousand times what it has said.
    const stepsNow = this.steps.length;
    const steps = stepsNow === this.#stepsWritten ? {} : { steps: JSON.stringify(this.steps) };
    const lease = goesOn
      ? { turn_until: new Date(Date.parse(now) + leaseMs).toISOString() }
      : { turn_holder: null, turn_until: null, updated_at: now };
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
  return new Failure('conflict', 'Another process has taken this conversation over', {
    fix: { instruction: 'Look at the conversation to see what was done' },
  });
}
