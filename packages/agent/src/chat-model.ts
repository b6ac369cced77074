import type { Failure } from '@millrace/kernel';
import type { LanguageModel } from 'ai';

/** The AI SDK's interface of a language model, which ours implements too. */
export type LanguageModelV4 = Extract<Exclude<LanguageModel, string>, { specificationVersion: 'v4' }>;
export type CallOptions = Parameters<LanguageModelV4['doStream']>[0];
export type StreamResult = Awaited<ReturnType<LanguageModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type ShownTool = NonNullable<CallOptions['tools']>[number];
export type Prompt = CallOptions['prompt'];

/** The language model of a conversation, and our messages for its errors. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** It gets every tool: it only looks at their names. */
  allTools?: true;
  /** It asks before it deletes several things; with any other model, such calls wait until the person agrees. */
  confirms?: true;
  /** It is code of ours that reads replies of any size; any other model is given the beginning of a long one. */
  wholeReplies?: true;
  /** Undefined for errors that are not the model's, and so are bugs. */
  explain(error: unknown): { failure: Failure; again: boolean; waitMs?: number } | undefined;
}

export const INTERRUPTED_ANSWER = '(This answer was interrupted here, before it was complete.)';
