import type { z } from 'zod';
import type { Call } from './call.ts';
import type { JobState, Limits } from './ports.ts';

/** Every hint is explicit, so that clients never have to guess. */
export interface Annotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** Work that may take longer than a client waits: after a while the call returns the progress, and the work continues. */
export interface LongJob<Input, Output> {
  /** Calls with the same key attach to the same running job. */
  key(input: Input): string;
  /** The reply while the job is still running. */
  pending(job: JobState): Output;
}

/** A result as its toolset publishes it. */
export interface Presented<Data = unknown> {
  data: Data;
  /** A sentence or more for the person, if the contract has them. */
  words: string;
}

/** What the words may mention besides the result. */
export interface Presentation<Services, Input> {
  input: Input;
  services: Services;
}

export interface ToolDefinition<Services, Input extends z.ZodObject, Output extends z.ZodType, Result = z.output<Output>> {
  name: string;
  description: string;
  /** Sentences that people say when they need this tool; requests are matched against them. */
  said: readonly string[];
  /** `write` changes state, runs other people's code or costs money. */
  access: 'read' | 'write';
  annotations: Annotations;
  input: Input;
  /** What is published of the result; the toolset's wire derives the advertised schema from it. */
  output: Output;
  /** Not part of a published contract: left out with --published-only. */
  extra?: true;
  /** Milliseconds until the call is aborted; the time a person takes to answer does not count. */
  deadlineMs?: number;
  /** Shown when a call is cancelled whose work may continue elsewhere. */
  whenCancelled?: string;
  limits?: Limits;
  /**
   * The handler uses ask() or once(): the tool takes an optional `answer`. With `client` it asks only through clients that
   * can, and does not advertise `answer`.
   */
  asks?: true | 'client';
  job?: LongJob<z.output<Input>, Result>;
  run(input: z.output<Input>, call: Call<Services>): Promise<Result> | Result;
  /** What is published of the result, and its words; by default the result itself. */
  present?(result: Result, presentation: Presentation<Services, z.output<Input>>): Presented<z.output<Output>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a catalog holds tools of every input, output, result and services type
export type Tool<Services = any> = ToolDefinition<Services, any, any, any>;

/** What a tool publishes of its result, and the words for it. */
export function presented(tool: Tool, result: unknown, presentation: Presentation<unknown, unknown>): Presented {
  return tool.present?.(result, presentation) ?? { data: result, words: '' };
}

/** The `tool` function of a toolset: its handlers get that toolset's services, typed. */
export function toolsOf<Services>() {
  return function tool<Input extends z.ZodObject, Output extends z.ZodType>(
    definition: Omit<ToolDefinition<Services, Input, Output>, 'present'>,
  ): ToolDefinition<Services, Input, Output> {
    return definition;
  };
}

/** The same for a toolset whose replies are text: every tool puts its result into words. */
export function speakingToolsOf<Services>() {
  return function tool<Input extends z.ZodObject, Output extends z.ZodType, Result>(
    definition: ToolDefinition<Services, Input, Output, Result> &
      Required<Pick<ToolDefinition<Services, Input, Output, Result>, 'present'>>,
  ): ToolDefinition<Services, Input, Output, Result> {
    return definition;
  };
}
