import { randomUUID } from 'node:crypto';
import { type CallOptions, type ChatModel, INTERRUPTED_ANSWER, type LanguageModelV4, type Prompt, type StreamPart } from '../chat-model.ts';
import { memoryIn, toMetadata } from './memory.ts';
import { type RecordedCall, replay } from './script.ts';
import { respond } from './scripts/respond.ts';

export interface RulesOptions {
  timeZone: string;
  now(): Date;
}

type GeneratedContent = Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content'];

const NO_TOKENS = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
const BROKEN_OFF = "My answer was cut off, and I can't continue it. Anything already done is saved; tell me what's left.";

const INTERRUPTED = "My last answer was cut off. Anything already done is saved; tell me what's left.";

/** Our own model, which needs no key and no network: rules that understand what people say about their todos. */
export function rulesModel(options: RulesOptions): ChatModel {
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'millrace',
    modelId: 'rules',
    supportedUrls: {},
    async doGenerate(call) {
      const { parts, calling } = speak(call, options);
      const content: GeneratedContent = [];
      for (const part of parts) {
        if (part.type === 'tool-call') content.push(part);
        else if (part.type === 'text-delta') content.push({ type: 'text', text: part.delta });
      }
      return { content, finishReason: finish(calling), usage: NO_TOKENS, warnings: [] };
    },
    async doStream(call) {
      const { parts, calling } = speak(call, options);
      const all: StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', usage: NO_TOKENS, finishReason: finish(calling) },
      ];
      return { stream: ReadableStream.from(all) as ReadableStream<StreamPart> };
    },
  };
  return {
    provider: 'rules',
    name: 'rules',
    model,
    allTools: true,
    confirms: true,
    wholeReplies: true,
    explain: () => undefined,
  };
}

function finish(calling: boolean) {
  return { unified: calling ? ('tool-calls' as const) : ('stop' as const), raw: 'rules' };
}

function speak(
  { prompt, tools, toolChoice, providerOptions }: CallOptions,
  options: RulesOptions,
): { parts: StreamPart[]; calling: boolean } {
  const turn = prompt.findLastIndex((message) => message.role === 'user');
  const said = providerOptions?.millrace?.now;
  const script = respond({
    text: textOf(prompt[turn]),
    memory: memoryIn(prompt.slice(0, turn)),
    now: { instant: typeof said === 'string' ? new Date(said) : options.now(), timeZone: options.timeZone },
    tools: new Set(tools?.map((tool) => tool.name)),
  });
  const outcome = replay(script, recordedCalls(prompt.slice(turn + 1)));
  if (outcome.kind === 'changed' || (outcome.kind === 'calls' && toolChoice?.type === 'none'))
    return { parts: text(BROKEN_OFF, undefined), calling: false };
  if (outcome.kind === 'end') {
    const note = wasInterrupted(prompt[turn - 1]) ? `${INTERRUPTED}\n` : '';
    return { parts: text(note + outcome.value.text, toMetadata(outcome.value.memory)), calling: false };
  }
  const parts = outcome.calls.map(({ tool, parameters }) => ({
    type: 'tool-call' as const,
    toolCallId: `call-${randomUUID()}`,
    toolName: tool,
    input: JSON.stringify(parameters),
  }));
  return { parts, calling: true };
}

/** Streams the text word by word, like a real model. */
function text(words: string, metadata: Record<string, never> | undefined): StreamPart[] {
  const id = 'answer';
  const deltas = words.match(/\S+\s*|\s+/g) ?? [];
  return [
    { type: 'text-start', id },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id, ...(metadata && { providerMetadata: { millrace: metadata } }) },
  ];
}

/** Whether the previous answer was unfinished, according to the history. */
function wasInterrupted(message: Prompt[number] | undefined): boolean {
  const last = message?.role === 'assistant' ? message.content.at(-1) : undefined;
  return last?.type === 'text' && last.text === INTERRUPTED_ANSWER;
}

function textOf(message: Prompt[number] | undefined): string {
  if (message?.role !== 'user') return '';
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The calls of this turn, with their results. */
function recordedCalls(messages: Prompt): RecordedCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) => (part.type === 'tool-result' ? [[part.toolCallId, part.output] as const] : []))
        : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-call') return [];
          const value = (results.get(part.toolCallId) as { value?: unknown } | undefined)?.value;
          const known = value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
          return [
            {
              tool: part.toolName,
              parameters: part.input as Record<string, unknown>,
              result: { ok: known.success === true, value: known },
            },
          ];
        })
      : [],
  );
}
