import { Failure } from '@millrace/kernel';
import type { Availability } from './ports.ts';

/** What to say when something needs the engine pack and it is not there. */
export function engineMissing(what: string, missing: Extract<Availability, { available: false }>): Failure {
  return new Failure('unavailable', `${what} needs the n8n engine pack: ${missing.reason}`, {
    fix: { instruction: 'Install it', command: 'engine add n8n' },
  });
}
