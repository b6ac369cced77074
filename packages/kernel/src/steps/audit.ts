import { Failure, systemFailure } from '../failure.ts';
import type { Outcome, Step } from '../pipeline.ts';
import type { AuditLog, Clock, Log } from '../ports.ts';

/** Outermost, so that refused calls are recorded too. If a row cannot be written, that is logged, and the call still succeeds. */
export function audit(auditLog: AuditLog, clock: Clock, log: Log): Step {
  return async (invocation, next) => {
    const started = performance.now();
    const write = async (status: 'success' | 'failure', result: unknown, errorCode: string | null) => {
      try {
        await auditLog.record({
          id: invocation.id,
          userId: invocation.user?.id ?? null,
          messageId: invocation.origin.messageId ?? null,
          parentId: invocation.origin.parentId ?? null,
          tool: invocation.tool.name,
          parameters: invocation.parameters,
          result,
          status,
          errorCode,
          durationMs: performance.now() - started,
          at: clock.now(),
        });
      } catch (error) {
        log.error({ err: error, id: invocation.id, tool: invocation.tool.name }, 'could not write the audit row');
      }
    };
    try {
      const passed = await next();
      await write('success', recorded(passed.outcome), null);
      return passed;
    } catch (error) {
      const known = systemFailure(error) ?? error;
      const expected = known instanceof Failure && known.code !== 'internal' ? known : undefined;
      await write('failure', { error: expected?.message ?? 'Internal error' }, expected?.code ?? 'internal');
      throw known;
    }
  };
}

function recorded(outcome: Outcome): unknown {
  return outcome.kind === 'result' ? outcome.value : { asked: outcome.question };
}
