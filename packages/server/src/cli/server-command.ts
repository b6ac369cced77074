import type { Terminal } from '@millrace/kernel';
import type { Configuration } from '../configuration.ts';
import type { Shutdown } from '../shutdown.ts';
import type { CommandShape, ParsedLine } from './command-line.ts';

/** A command of the server itself. Loaded on demand, to keep the start quick. */
export interface ServerCommand extends CommandShape {
  load(): Promise<{ run(context: CommandContext): Promise<number> }>;
}

export interface CommandContext {
  line: ParsedLine<ServerCommand>;
  terminal: Terminal;
  shutdown: Shutdown;
  /** Read again with each call: some commands must work with a broken configuration, and some change it. */
  configuration(): Configuration;
}
