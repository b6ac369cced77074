import type { Failure } from '@millrace/kernel';
import type { LanguageModel } from 'ai';

/** The interface of the AI SDK that a language model has, ours included. */
export type LanguageModelV4 = Extract<Exclude<LanguageModel, string>, { specificationVersion: 'v4' }>;
export type CallOptions = Parameters<LanguageModelV4['doStream']>[0];
export type StreamResult = Awaited<ReturnType<LanguageModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type ShownTool = NonNullable<CallOptions['tools']>[number];
export type Prompt = CallOptions['prompt'];

/** The language model of a conversation, and our words for what may be wrong with it. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** It is shown every tool: it looks at nothing but their names. */
  allTools?: true;
  /** It asks before it takes several things away; any other model is held back until the person has agreed. */
  confirms?: true;
  /** It is code of ours that reads replies of any size; any other model is given the beginning of a long one. */
  wholeReplies?: true;
  /** Undefined for what is not the model's doing, and so a bug. */
  explain(error: unknown): { failure: Failure; again: boolean; waitMs?: number } | undefined;
}
