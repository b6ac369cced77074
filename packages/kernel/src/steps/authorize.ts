import { Failure } from '../failure.ts';
import type { Step } from '../pipeline.ts';

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
