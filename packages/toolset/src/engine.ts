import type { CommandInput, CommandOption, Terminal } from '@millrace/kernel';

/** What an engine needs to be installed or run. */
export interface EngineCall {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  terminal: Terminal;
  values: CommandInput['values'];
  /** The licence was shown already. */
  noticed?: true;
}

/** One line of `engine list`. */
export interface EngineState {
  version: string;
  /** `installed, not running: …`, ready to be read. */
  state: string;
  /** Empty where nothing is installed. */
  folder: string;
}

/** A separate program that a toolset works with, installed on request: `engine add <name of the toolset>`. */
export interface Engine {
  /** What it is, for the help of `engine add`. */
  summary: string;
  options?: Record<string, CommandOption>;
  /** Returns the exit code. */
  add(call: EngineCall): Promise<number>;
  list(home: string, program: string): Promise<EngineState[]>;
  /** Offered at the first start of a checkout; nothing is installed without asking. */
  offer?: {
    isInstalled(home: string): Promise<boolean>;
    /** What it is for. */
    purpose: string;
    /** Under which licence it comes. */
    notice: string;
  };
}
