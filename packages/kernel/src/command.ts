import type { Progress } from './ports.ts';

/** A subcommand that a toolset adds, such as `context lint`. */
export interface Command<Services = unknown> {
  /** The words after the name of the program. */
  name: string;
  summary: string;
  /** What follows the name, as in `<file...> [--json]`. */
  usage: string;
  options: Record<string, CommandOption>;
  /** Returns the exit code. */
  run(input: CommandInput, terminal: Terminal, services: Services): Promise<number>;
}

export interface CommandOption {
  type: 'string' | 'boolean';
  description: string;
  short?: string;
  multiple?: boolean;
}

export interface CommandInput {
  positionals: string[];
  values: Record<string, string | boolean | string[] | undefined>;
}

/** Where a command writes: results to stdout, everything for people to stderr. */
export interface Terminal {
  /** What people type before the name of a command. */
  program: string;
  out(text: string): void;
  say(text: string): void;
  /** Redraws one line on a terminal; prints nothing elsewhere. */
  status(text: string): void;
  /** A progress bar in that line, labelled with the name. */
  progress(name: string): Progress;
  interactive: boolean;
  columns: number;
  /** Aborted when the program is asked to stop: by Ctrl-C, SIGTERM or a closed terminal. */
  signal: AbortSignal;
}
