import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';

const VALID_MS = 10 * 60_000;

/** What a token stands for: one evaluation of one user. */
export interface JudgedThing {
  userId: string;
  condition: string;
  context: unknown;
}

/** Signed permission to judge a condition that this server could not decide. */
export class JudgementTokens {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  issue(thing: JudgedThing): string {
    const expires = String(this.#clock.now().getTime() + VALID_MS);
    return `${expires}.${this.#signature(thing, expires)}`;
  }

  /** Throws unless the token was issued for exactly this evaluation and user, and is still fresh. */
  verify(token: string, thing: JudgedThing): void {
    const [expires = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(thing, expires));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw refused('The judgement token is not one for this evaluation');
    if (Number(expires) <= this.#clock.now().getTime()) throw refused('The judgement token has expired');
  }

  #signature({ userId, condition, context }: JudgedThing, expires: string): string {
    const judged = createHash('sha256')
      .update(JSON.stringify([userId, condition, context]))
      .digest('hex');
    return createHmac('sha256', this.#key).update(`judgement.${expires}.${judged}`).digest('base64url');
  }
}

function refused(message: string): Failure {
  return new Failure('invalid_input', message, {
    details: { code: 'INVALID_JUDGEMENT', field: 'judgement.token' },
    fix: {
      instruction:
        'Call evaluate_semantic_condition without judgement, then answer with the token that comes back, the other arguments unchanged',
      example: { judgement: { token: '<judgement_token>', result: true } },
      why: 'A verdict counts only for the evaluation that was asked about',
    },
  });
}
