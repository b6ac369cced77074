import { hash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { Failure } from './failure.ts';
import type { AnswerSchema, AskedAnswer, Journal, PendingCalls, PendingKey, Question } from './ports.ts';
import { inputJsonSchema } from './wire.ts';

/** Thrown through a handler when its question has to go to the client first; tool authors never see it. */
export class QuestionRaised extends Error {
  readonly question: Question;
  readonly pendingId: string;

  constructor(question: Question, pendingId: string) {
    super('a question was raised');
    this.question = question;
    this.pendingId = pendingId;
  }
}

interface DialogueOptions {
  pendingCalls: PendingCalls;
  key: PendingKey;
  answers: Record<string, AskedAnswer>;
}

/** The questions and effects of one call, across its rounds. */
export class Dialogue {
  #options: DialogueOptions;
  #journal: Journal | undefined;
  #asked = 0;

  private constructor(options: DialogueOptions, journal: Journal | undefined) {
    this.#options = options;
    this.#journal = journal;
  }

  static async open(options: DialogueOptions): Promise<Dialogue> {
    const journal = await options.pendingCalls.open(options.key);
    if (options.key.id && !journal) {
      throw new Failure('not_found', 'The question has expired. Call the tool again without an answer', { details: { expired: true } });
    }
    return new Dialogue(options, journal);
  }

  /** The result of a finished call, when its last answer arrives a second time. */
  get finished(): { value: unknown } | undefined {
    const { result, answers = {} } = this.#journal ?? {};
    const other = Object.entries(this.#options.answers).find(
      ([id, answer]) => answers[id] && argumentsHash(answers[id]) !== argumentsHash(answer),
    );
    if (result && other) {
      throw new Failure('conflict', 'This question has already been answered, with something else', {
        fix: { instruction: 'Look at what was done, and call again without an answer if more is needed' },
      });
    }
    return result;
  }

  async ask<Schema extends AnswerSchema>(text: string, schema: Schema): Promise<z.output<Schema>> {
    this.#asked += 1;
    const journal = this.#journal ?? (await this.#save({}));
    const question: Question = { id: questionId(this.#asked, text, journal), text, schema: inputJsonSchema(schema) };
    const answer = await this.#answerTo(question);
    if (answer.action !== 'accept') {
      await this.#save({ closed: true, answers: { ...this.#journal?.answers, [question.id]: answer } });
      throw new Failure('cancelled', 'The question was declined, so nothing more was done', { details: { question: text } });
    }
    const parsed = schema.safeParse(answer.value);
    if (!parsed.success) {
      throw new Failure('invalid_input', `The answer does not fit the question "${text}": ${parsed.error.issues[0]?.message}`, {
        details: { field: 'answer', question },
      });
    }
    await this.#save({ answers: { ...this.#journal?.answers, [question.id]: answer } });
    return parsed.data;
  }

  async #answerTo(question: Question): Promise<AskedAnswer> {
    const known = this.#options.answers[question.id] ?? this.#journal?.answers[question.id];
    if (known) return known;
    const { id } = await this.#save({});
    throw new QuestionRaised(question, id);
  }

  async once<Result>(key: string, effect: () => Promise<Result> | Result): Promise<Result> {
    const effects = this.#journal?.effects;
    if (effects && Object.hasOwn(effects, key)) return effects[key] as Result;
    const result = await effect();
    await this.#save({ effects: { ...this.#journal?.effects, [key]: result ?? null } });
    return result;
  }

  /** Keeps the result of a call that had rounds; a call without questions or effects leaves no trace. */
  async complete(value: unknown): Promise<void> {
    if (this.#journal) await this.#save({ closed: true, result: { value } });
  }

  async release(): Promise<void> {
    if (this.#journal) await this.#options.pendingCalls.release(this.#journal);
  }

  async #save(change: Partial<Journal>): Promise<Journal> {
    const journal = { ...(this.#journal ?? { id: randomUUID(), answers: {}, effects: {}, closed: false }), ...change };
    await this.#options.pendingCalls.save(journal, this.#options.key);
    this.#journal = journal;
    return journal;
  }
}

/** Names the pending call, which nobody can guess, and the question's text: an answer counts for exactly this question of this call. */
function questionId(number: number, text: string, { id }: Journal): string {
  return `q${number}-${id}-${hash('sha256', text).slice(0, 8)}`;
}

/** The pending call that a question belongs to. */
export function pendingCallOf(questionId: string): string | undefined {
  return /^q\d+-([\da-f-]{36})-[\da-f]{8}$/.exec(questionId)?.[1];
}

/** Equal for equal arguments, whatever the order of their keys. */
export function argumentsHash(parameters: unknown): string {
  return hash('sha256', stable(parameters));
}

function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${stable(child)}`).join(',')}}`;
}
