import type { Step } from '../pipeline.ts';
import type { Identity } from '../ports.ts';

/** Who calls: from what the transport carried, never from arguments. */
export function identify(identity: Identity): Step {
  return async (invocation, next) => {
    invocation.user = invocation.origin.onBehalfOf ?? (await identity.identify(invocation.origin.credentials));
    return next();
  };
}
