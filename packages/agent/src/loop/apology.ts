import type { Entry, Failure, Reply } from '@millrace/kernel';

/** Failures whose message helps a model fix its call; for all others it gets only the sentence. */
const HELPFUL = new Set<Failure['code']>(['invalid_input', 'not_found', 'unknown_tool', 'locked', 'answer_needed', 'conflict']);

/** A failed call as a friendly sentence, with what to do next; never the raw error. */
export function apologize(entry: Entry | undefined, reply: Reply, program: string): string {
  const { user_message } = (reply.structured ?? {}) as { user_message?: unknown };
  const trouble = typeof user_message === 'string' ? user_message : troubleWith(entry);
  const next = whatNext(entry, reply.failure, program);
  return next === '' || trouble.includes(next) ? trouble : `${trouble} ${next}`;
}

function troubleWith(entry: Entry | undefined): string {
  if (!entry) return 'I tried to use a tool that does not exist.';
  return `I'm having trouble with "${entry.tool.annotations.title}". Please try again.`;
}

function whatNext(entry: Entry | undefined, failure: Failure | undefined, program: string): string {
  switch (failure?.code) {
    case 'not_found':
      return entry?.toolset.whatThereIs ?? '';
    case 'storage':
      return `If it keeps happening, the command "${program} doctor" shows what is wrong.`;
    case 'forbidden':
      return failure.fix ? `${failure.fix.instruction}.` : '';
    case 'internal':
    case 'unavailable':
    case 'upstream':
    case 'locked':
      return failure.fix ? `${failure.fix.instruction}.` : '';
    case 'rate_limited': {
      const waitMs = failure.details.retryAfterMs;
      return waitMs !== undefined ? `Try again in ${Math.max(1, Math.ceil(waitMs / 1000))} seconds.` : '';
    }
    default:
      return '';
  }
}

/** What the model gets for a failed call. */
export function failureForModel(entry: Entry | undefined, reply: Reply, program: string): Record<string, unknown> {
  const tell_the_person = apologize(entry, reply, program);
  const code = reply.failure?.code;
  if (code === undefined || !HELPFUL.has(code) || reply.structured === null || typeof reply.structured !== 'object') {
    return { success: false, tell_the_person };
  }
  return { ...(Array.isArray(reply.structured) ? { reply: reply.structured } : reply.structured), tell_the_person };
}
