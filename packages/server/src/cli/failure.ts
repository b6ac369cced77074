import { type Failure, instructionOf, type Terminal } from '@millrace/kernel';

/** Prints what went wrong and what to do. Returns the exit code. */
export function sayFailure(name: string, { message, fix }: Failure, terminal: Terminal): number {
  terminal.say(`${name}: ${message}${fix ? `\n${instructionOf(fix, terminal.program)}` : ''}`);
  return 1;
}
