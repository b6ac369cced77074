import { Failure } from '../failure.ts';
import { identified, type Step } from '../pipeline.ts';
import type { Identity, Limiter } from '../ports.ts';

/** Who calls: from what the transport carried, never from arguments. */
export function identify(identity: Identity): Step {
  return async (invocation, next) => {
    invocation.user = invocation.origin.onBehalfOf ?? (await identity.identify(invocation.origin.credentials));
    return next();
  };
}

/** What the server as a whole permits; toolsets add their own rules as guards. */
export function authorize({ readOnly }: { readOnly: boolean }): Step {
  return async ({ tool }, next) => {
    if (!readOnly || tool.access !== 'write') return next();
    throw new Failure('forbidden', `${tool.name} changes things, and this server is read-only`, {
      details: { reason: 'read_only' },
      fix: { instruction: 'Start the server without --read-only to use this tool' },
    });
  };
}

/** Published limits, per user and tool. Calls made by another call do not count. */
export function limit(limiter: Limiter): Step {
  return async (invocation, next) => {
    const { limits } = invocation.tool;
    if (!limits || invocation.origin.onBehalfOf) return next();
    const leave = await limiter.enter(identified(invocation).id, invocation.tool.name, limits);
    try {
      return await next();
    } finally {
      leave();
    }
  };
}
