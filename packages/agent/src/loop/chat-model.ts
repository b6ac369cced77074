import type { Failure } from '@millrace/kernel';
import type { LanguageModel } from 'ai';

/** The interface of the AI SDK that a language model has, ours included. */
export type LanguageModelV4 = Extract<Exclude<LanguageModel, string>, { specificationVersion: 'v4' }>;
export type CallOptions = Parameters<LanguageModelV4['doStream']>[0];
export type StreamResult = Awaited<ReturnType<LanguageModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type Prompt = CallOptions['prompt'];

/** The language model of a conversation, and our words for what may be wrong with it. */
export interface ChatModel {
  provider: string;
  name: string;
  model: LanguageModel;
  /** It asks before it takes several things away; any other model is held back until the person has agreed. */
  confirms?: true;
  explain(error: unknown, timedOut: boolean): { failure: Failure; again: boolean; waitMs?: number };
}
