import { identified, type Step } from '../pipeline.ts';
import type { Limiter } from '../ports.ts';

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
