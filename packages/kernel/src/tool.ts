import type { z } from 'zod';
import type { Call } from './call.ts';
import type { JobState, Level, Limits } from './ports.ts';

/** Every hint is written out: a client must never have to guess. */
export interface Annotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** Work that may outlast a client's patience: after a while the call answers with the progress, and the work goes on. */
export interface LongJob<Input, Output> {
  /** Calls with the same key attach to the same running job. */
  key(input: Input): string;
  /** The reply while the job is still running. */
  pending(job: JobState): Output;
}

export interface ToolDefinition<Services, Input extends z.ZodObject, Output extends z.ZodType> {
  name: string;
  description: string;
  /** `write` changes state, runs foreign code or spends money. */
  access: 'read' | 'write';
  annotations: Annotations;
  input: Input;
  /** What the handler returns; the toolset's wire derives the advertised schema from it. */
  output: Output;
  /** Not part of a published contract: left out with --published-only. */
  extra?: true;
  /** Milliseconds until the call is aborted; the time a person takes to answer does not count. */
  deadlineMs?: number;
  /** Said to whoever cancels a call, where the work may go on elsewhere. */
  whenCancelled?: string;
  limits?: Limits;
  /** The level a user needs, for the toolset whose contract has levels. */
  level?: Level;
  /**
   * The handler uses ask() or once(): the tool takes an optional `answer`. With `client` it asks only through clients that
   * can, and does not advertise `answer`.
   */
  asks?: true | 'client';
  job?: LongJob<z.output<Input>, z.output<Output>>;
  run(input: z.output<Input>, call: Call<Services>): Promise<z.output<Output>> | z.output<Output>;
}

// biome-ignore lint/suspicious/noExplicitAny: a catalog holds tools of every input, output and services type
export type Tool<Services = any> = ToolDefinition<Services, any, any>;

/** The `tool` function of a toolset: its handlers get that toolset's services, typed. */
export function toolsOf<Services>() {
  return function tool<Input extends z.ZodObject, Output extends z.ZodType>(
    definition: ToolDefinition<Services, Input, Output>,
  ): ToolDefinition<Services, Input, Output> {
    return definition;
  };
}
