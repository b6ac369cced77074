import { setTimeout as sleep } from 'node:timers/promises';
import { type Catalog, type Clock, Failure, type Log, type User } from '@millrace/kernel';
import { isStepCount, type ModelMessage, streamText, type TextStreamPart, type ToolSet } from 'ai';
import type { ChatModel, LanguageModelV4 } from '../chat-model.ts';
import type { StoredCall, StoredMessage, TurnBegin } from '../conversations/conversations.ts';
import type { MessageStatus } from '../conversations/migrations.ts';
import type { TurnJournal } from '../conversations/turn-journal.ts';
import type { Listener, ToolCallSummary, TurnResult } from '../events.ts';
import { isYes } from '../rules/language/talk.ts';
import { historyMessages, turnMessages } from './history.ts';
import { type CallRecords, recover } from './recovery.ts';
import { ShownTools } from './shown-tools.ts';
import { type ToolOutput, TurnCalls } from './turn-calls.ts';
import { AnswerCutOff, inWholeSteps, type SaidStep } from './whole-steps.ts';

export interface TurnOptions {
  catalog: Pick<Catalog, 'call' | 'entries' | 'find' | 'toolsFor' | 'program'>;
  records: CallRecords;
  chatModel: ChatModel;
  clock: Clock;
  log: Log;
  user: User;
  begin: TurnBegin;
  journal: TurnJournal;
  instructions: string;
  maxSteps: number;
  /** How long the model may be silent. */
  silenceMs: number;
  /** The first wait before the model is asked again; it doubles. */
  waitMs: number;
  signal: AbortSignal;
  /** Aborted, along with the signal, when the server stops. */
  stopping: AbortSignal;
  emit: Listener;
}

const ATTEMPTS = 3;
const LONGEST_WAIT_MS = 10_000;

// The SDK would write its warnings to the console, and stdout belongs to the protocol.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** One turn: the model talks and calls tools until it has answered. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #calls: TurnCalls;
  readonly #model: LanguageModelV4;
  readonly #tools: ToolSet;
  readonly #approved: ReadonlySet<string>;
  readonly #shown: ShownTools;
  /** What was said since the last complete step. */
  #unfinished = '';

  constructor(options: TurnOptions) {
    const { chatModel, begin, silenceMs } = options;
    this.#options = options;
    this.#shown = new ShownTools(options.catalog);
    this.#calls = new TurnCalls({
      ...options,
      messageId: begin.answer.id,
      shown: this.#shown,
      wholeReplies: chatModel.wholeReplies ?? false,
    });
    this.#model = inWholeSteps(chatModel.model as LanguageModelV4, {
      silenceMs,
      shown: (tools) => (chatModel.allTools ? [...tools] : this.#shown.among(tools)),
      onStep: (step) => this.#decide(step),
    });
    this.#tools = this.#calls.tools();
    this.#approved = approvedCalls(begin.history, begin.question.text);
  }

  async run(): Promise<TurnResult> {
    try {
      this.#options.signal.throwIfAborted();
      await this.#recover();
      if (!this.#options.chatModel.allTools) await this.#shown.choose(this.#options.begin, this.#options.signal);
      await this.#converse();
      return await this.#end('done', this.#reply() || this.#sumUp());
    } catch (error) {
      if (this.#options.signal.aborted)
        return this.#end(
          this.#options.stopping.aborted ? 'interrupted' : 'cancelled',
          [this.#reply(), this.#unfinished.trim()].filter(Boolean).join('\n\n'),
        );
      const trouble = this.#known(error);
      return this.#end('failed', this.#explain(error, trouble?.failure), trouble?.again);
    }
  }

  async #recover(): Promise<void> {
    const { catalog, records, begin, journal, user } = this.#options;
    if (!begin.resumed) return;
    const message = { id: begin.answer.id, userId: user.id, since: new Date(begin.answer.createdAt) };
    await recover({ catalog, records, message, journal, calls: this.#calls });
  }

  /** Asks the model, and retries after temporary failures; completed steps are never repeated. */
  async #converse(): Promise<void> {
    const { chatModel, signal, emit, journal, waitMs } = this.#options;
    if (journal.steps.length > 0 && journal.steps.length - 1 > lastStepWithCalls(journal)) return;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#stream();
      } catch (error) {
        if (signal.aborted || error instanceof Failure || attempt >= ATTEMPTS) throw error;
        const trouble = chatModel.explain(error);
        if (!trouble?.again && !(error instanceof AnswerCutOff)) throw error;
        this.#unfinished = '';
        emit({ type: 'text_dropped' });
        await sleep(Math.min(LONGEST_WAIT_MS, trouble?.waitMs ?? waitMs * 2 ** (attempt - 1)), undefined, { signal });
      }
    }
  }

  async #stream(): Promise<void> {
    const { instructions, journal, begin, maxSteps, signal } = this.#options;
    const stepsLeft = Math.max(1, maxSteps - journal.steps.length);
    const result = streamText({
      model: this.#model,
      instructions,
      messages: this.#messages(),
      tools: this.#tools,
      toolCallConcurrency: 1,
      stopWhen: isStepCount(stepsLeft),
      // The last step must be an answer.
      prepareStep: ({ stepNumber }) => (stepNumber === stepsLeft - 1 && stepNumber > 0 ? { toolChoice: 'none' } : undefined),
      providerOptions: { millrace: { now: begin.question.createdAt } },
      abortSignal: signal,
      maxRetries: 0,
      streamRetries: 0,
      onError: () => {},
    });
    for await (const part of result.stream) await this.#hear(part);
    if (signal.aborted) throw new Failure('cancelled', 'The turn was cancelled');
  }

  #messages(): ModelMessage[] {
    const { begin, journal } = this.#options;
    return [...historyMessages(begin.history), { role: 'user', content: begin.question.text }, ...turnMessages(journal)];
  }

  async #hear(part: TextStreamPart<ToolSet>): Promise<void> {
    const { emit, journal } = this.#options;
    switch (part.type) {
      case 'text-delta':
        if (part.text === '') break;
        this.#unfinished += part.text;
        emit({ type: 'text', delta: part.text });
        break;
      case 'tool-error': {
        const call = journal.calls.findLast((candidate) => candidate.callId === part.toolCallId);
        if (call?.status === 'decided') await this.#calls.refuse(call, part.input);
        break;
      }
      case 'finish-step':
        if (part.finishReason === 'tool-calls') await journal.flush();
        break;
      case 'error':
        throw part.error;
    }
  }

  /** A complete step: its deletions may have to wait for the person. */
  #decide({ content, calls }: SaidStep): void {
    const { journal } = this.#options;
    const before = [...journal.calls];
    journal.decide({ content }, calls);
    this.#unfinished = '';
    if (this.#options.chatModel.confirms) return;
    const step = journal.calls.slice(before.length);
    for (const call of callsToHold(step, before, this.#approved)) this.#calls.hold(call);
  }

  #reply(): string {
    const texts = this.#options.journal.steps.map(({ content }) =>
      (content as { type: string; text?: string }[]).flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join(''),
    );
    return texts
      .map((text) => text.trim())
      .filter(Boolean)
      .join('\n\n');
  }

  /** For a model that returns no text. */
  #sumUp(): string {
    const { journal, maxSteps } = this.#options;
    const last = journal.calls.at(-1);
    if (!last) return 'I have no answer to that. Please try other words.';
    if (journal.steps.length >= maxSteps) {
      return `I stopped after ${maxSteps} steps without finishing. Tell me what is still missing, in smaller parts.`;
    }
    const { user_message, tell_the_person } = ((last.output as ToolOutput | undefined)?.value ?? {}) as Record<string, unknown>;
    const said = tell_the_person ?? user_message;
    return typeof said === 'string' ? said : 'Done.';
  }

  #explain(error: unknown, failure: Failure | undefined): string {
    const { chatModel, log, begin } = this.#options;
    const about = { err: error, id: begin.answer.id, conversation: begin.conversation.id, provider: chatModel.provider };
    if (failure) log.warn({ ...about, code: failure.code }, 'a turn failed');
    else log.error(about, 'a turn failed unexpectedly');
    const { message, fix } = failure ?? { message: `I'm having trouble with that (error ${begin.answer.id})`, fix: undefined };
    return `${message}.${fix ? ` ${fix.instruction}.` : ''}`;
  }

  /** Undefined for a bug. */
  #known(error: unknown): { failure: Failure; again: boolean } | undefined {
    if (error instanceof Failure) return { failure: error, again: false };
    if (error instanceof AnswerCutOff) {
      return { failure: new Failure('upstream', "The model's answer broke off several times", { cause: error }), again: true };
    }
    return this.#options.chatModel.explain(error);
  }

  async #end(status: MessageStatus, reply: string, mayPass = false): Promise<TurnResult> {
    const { begin, journal } = this.#options;
    await journal.end(status, reply);
    return {
      conversation: begin.conversation.id,
      message: begin.answer.id,
      status,
      reply,
      mayPass,
      toolCalls: journal.calls.filter((call) => call.status !== 'decided').map(summaryOf),
    };
  }
}

function summaryOf({ tool, parameters, status }: StoredCall): ToolCallSummary {
  return { tool, parameters, status: status === 'started' ? 'unknown' : status };
}

/** A step without calls ends a turn. */
function lastStepWithCalls({ calls }: TurnJournal): number {
  return Math.max(-1, ...calls.map((call) => call.step));
}

type Calls = Pick<StoredCall, 'tool' | 'parameters'>;

const MOST_WITHOUT_ASKING = 1;
const TAKES_AWAY = /(?:^|_)(?:delete|remove|archive|clear|purge|erase)(?:_|$)/;

/** Whether a call deletes something, rather than changing or adding it. */
function takesAway({ tool, parameters }: Calls): boolean {
  const { status } = (parameters ?? {}) as { status?: unknown };
  return TAKES_AWAY.test(tool) || status === 'archived';
}

/** What the person has just agreed to: the held calls of the previous answer, if they said yes to it. */
function approvedCalls(history: readonly StoredMessage[], said: string): Set<string> {
  const asked = history.at(-1)?.calls.filter((call) => call.status === 'held') ?? [];
  return new Set(isYes(said) ? asked.map(keyOf) : []);
}

/** The calls of a step that wait for the person: deleting several things needs one confirmation, whatever the model thinks. */
function callsToHold(step: readonly StoredCall[], before: readonly StoredCall[], approved: ReadonlySet<string>): StoredCall[] {
  const taking = step.filter((call) => takesAway(call) && !approved.has(keyOf(call)));
  const alreadyTaken = before.filter((call) => takesAway(call) && call.status === 'success' && !approved.has(keyOf(call))).length;
  return alreadyTaken + taking.length > MOST_WITHOUT_ASKING ? taking : [];
}

function keyOf({ tool, parameters }: Calls): string {
  return `${tool} ${JSON.stringify(parameters)}`;
}
