import { changedFailure, Failure, type Outcome, type Step } from '@millrace/kernel';

const SHORTEST_SECRET = 8;
const REDACTED = '[redacted]';

/** Keeps the API key out of everything that leaves a call, even where Flowise itself repeats it. */
export function keepSecret(given: string | undefined): Step {
  const key = given?.trim();
  if (!key || key.length < SHORTEST_SECRET) return async (_invocation, next) => next();
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  const plain = (text: string) => forms.reduce((result, form) => result.replaceAll(form, REDACTED), text);
  return async (invocation, next) => {
    const { progress } = invocation.origin;
    invocation.origin = {
      ...invocation.origin,
      ...(progress && { progress: (done, total, message) => progress(done, total, message === undefined ? undefined : plain(message)) }),
    };
    try {
      const passed = await next();
      return { ...passed, outcome: redactedOutcome(passed.outcome, plain) };
    } catch (error) {
      throw error instanceof Failure ? redactedFailure(error, plain) : error;
    }
  };
}

function redactedOutcome(outcome: Outcome, plain: (text: string) => string): Outcome {
  if (outcome.kind === 'result') return { ...outcome, value: redacted(outcome.value, plain) };
  return { ...outcome, question: { ...outcome.question, text: plain(outcome.question.text) } };
}

function redactedFailure(failure: Failure, plain: (text: string) => string): Failure {
  const details = redacted(failure.details, plain) as Failure['details'];
  return changedFailure(failure, { message: plain(failure.message), details, partial: redacted(failure.partial, plain) });
}

/** The same value, with every text in it made plain. */
function redacted(value: unknown, plain: (text: string) => string): unknown {
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map((one) => redacted(one, plain));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [plain(name), redacted(one, plain)]));
}
