import { Failure, systemFailure, type Terminal } from '@millrace/kernel';
import { programOf, thisProcess } from '../program.ts';
import { Shutdown } from '../shutdown.ts';
import { sayFailure } from './failure.ts';
import { processTerminal } from './terminal.ts';

/** Runs a program from its command line to its exit code: failures become sentences, bugs show their stack. */
export async function runProgram(name: string, work: (terminal: Terminal, shutdown: Shutdown) => Promise<number>): Promise<number> {
  const shutdown = new Shutdown();
  let terminal = processTerminal(name, shutdown.signal);
  try {
    terminal = processTerminal(programOf(name, thisProcess()), shutdown.signal);
    return shutdown.exitCode(await work(terminal, shutdown));
  } catch (thrown) {
    const error = systemFailure(thrown) ?? thrown;
    if (error instanceof Failure) sayFailure(name, error, terminal);
    else if (!shutdown.caused(error)) throw error;
    return shutdown.exitCode(1);
  }
}
