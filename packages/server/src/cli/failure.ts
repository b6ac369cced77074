import { type Failure, instructionOf, type Terminal } from '@millrace/kernel';

/** What went wrong and what to do, for the person at the terminal. Answers the exit code. */
export function sayFailure(name: string, { message, fix }: Failure, terminal: Terminal): number {
  terminal.say(`${name}: ${message}${fix ? `\n${instructionOf(fix, terminal.program)}` : ''}`);
  return 1;
}
