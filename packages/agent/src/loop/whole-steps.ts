import { TransportError, transportErrorOf } from '@millrace/http';
import { isRecord } from '@millrace/kernel';
import { EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai';
import type { CallOptions, LanguageModelV4, ShownTool, StreamPart, StreamResult } from '../chat-model.ts';
import type { DecidedCall } from '../conversations/turn-journal.ts';

/** What a model said in one step: the parts to send back to it, and the calls among them. */
export interface SaidStep {
  content: SaidPart[];
  calls: DecidedCall[];
}

export type SaidPart =
  | { type: 'text' | 'reasoning'; text: string; providerOptions?: unknown }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerOptions?: unknown };

/** The model was silent for too long. */
class ModelSilent extends TransportError {
  constructor(ms: number) {
    super('timeout', 'MODEL_SILENT', `the model was silent for ${ms} ms`);
  }
}
export class AnswerCutOff extends Error {}

/** The SDK's errors for unreadable data; at the very start, they mean that whatever answered is not a model. */
const UNREADABLE = [InvalidResponseDataError, JSONParseError, TypeValidationError];

export interface WholeStepsOptions {
  /** How long the model may be silent. */
  silenceMs: number;
  /** The tools that the model sees, among all that it may call. */
  shown(tools: readonly ShownTool[]): ShownTool[];
  /** Called once a step is complete, before any of its calls is made. */
  onStep(step: SaidStep): void;
}

/**
 * The same model. Its text streams through, but its tool calls wait until the step is complete: an answer that breaks off
 * in the middle does nothing, and all calls of a step are known before the first is made.
 */
export function inWholeSteps(model: LanguageModelV4, options: WholeStepsOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(call),
    doStream: (call) => streamWholeStep(model, call, options),
  };
}

async function streamWholeStep(model: LanguageModelV4, call: CallOptions, options: WholeStepsOptions): Promise<StreamResult> {
  const silence = new Silence(options.silenceMs);
  const signal = call.abortSignal ? AbortSignal.any([call.abortSignal, silence.signal]) : silence.signal;
  try {
    const result = await Promise.race([
      model.doStream({ ...call, ...(call.tools && { tools: options.shown(call.tools) }), abortSignal: signal }),
      silence.broken,
    ]);
    const step = new StepSoFar(call.toolChoice?.type !== 'none');
    return { ...result, stream: readWholeStep(result.stream.getReader(), step, silence, options) };
  } catch (error) {
    silence.end();
    throw silence.signal.aborted ? silence.signal.reason : error;
  }
}

function readWholeStep(
  reader: ReadableStreamDefaultReader<StreamPart>,
  step: StepSoFar,
  silence: Silence,
  options: WholeStepsOptions,
): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const part = await nextSpokenPart(reader, step, silence);
        if (part.type !== 'finish') return controller.enqueue(part);
        silence.end();
        options.onStep(step.said());
        for (const call of step.callParts) controller.enqueue(call);
        const { unified, raw } = part.finishReason;
        controller.enqueue({
          ...part,
          finishReason: { unified: step.callParts.length === 0 && unified === 'tool-calls' ? 'stop' : unified, raw },
        });
        controller.close();
        reader.cancel().catch(() => {});
      } catch (error) {
        silence.end();
        reader.cancel().catch(() => {});
        controller.error(error);
      }
    },
    cancel(reason) {
      silence.end();
      return reader.cancel(reason);
    },
  });
}

/** The next part that may be shown at once; parts of calls are held back. */
async function nextSpokenPart(reader: ReadableStreamDefaultReader<StreamPart>, step: StepSoFar, silence: Silence): Promise<StreamPart> {
  for (;;) {
    const { done, value } = await Promise.race([reader.read().catch(brokenOff), silence.broken]);
    if (done) throw step.begun ? new AnswerCutOff('the answer ended in the middle') : new EmptyResponseBodyError();
    silence.heard();
    if (value.type === 'error') {
      const unreadable = UNREADABLE.some((known) => known.isInstance(value.error));
      throw unreadable && !step.begun ? value.error : new AnswerCutOff('the provider broke off the answer', { cause: value.error });
    }
    if (value.type === 'finish' && value.finishReason.unified === 'other' && value.finishReason.raw === undefined) {
      throw step.begun ? new AnswerCutOff('the answer ended without a finish part') : new EmptyResponseBodyError();
    }
    step.add(value);
    if (!isCallPart(value)) return value;
  }
}

function brokenOff(error: unknown): never {
  throw transportErrorOf(error) ? new AnswerCutOff('the answer broke off', { cause: error }) : error;
}

function isCallPart(part: StreamPart): boolean {
  return part.type === 'tool-call' || part.type.startsWith('tool-input-');
}

/** A timer that stops an answer that is silent for too long. */
class Silence {
  readonly signal: AbortSignal;
  readonly broken: Promise<never>;
  readonly #stop = new AbortController();
  readonly #ms: number;
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#ms = ms;
    this.signal = this.#stop.signal;
    this.broken = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    });
    this.broken.catch(() => {});
    this.#timer = this.#start();
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#stop.abort(new ModelSilent(this.#ms)), this.#ms);
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

class StepSoFar {
  readonly callParts: StreamPart[] = [];
  /** The provider sent something; stream-start comes from the SDK itself. */
  begun = false;
  readonly #mayCall: boolean;
  readonly #content: SaidPart[] = [];
  readonly #open = new Map<string, { type: 'text' | 'reasoning'; text: string; providerOptions?: unknown }>();

  constructor(mayCall: boolean) {
    this.#mayCall = mayCall;
  }

  add(part: StreamPart): void {
    this.begun ||= part.type !== 'stream-start';
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const said = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' };
        this.#open.set(part.id, said);
        this.#content.push(said);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const said = this.#open.get(part.id);
        if (said) said.text += part.delta;
        break;
      }
      case 'tool-call':
        // Some models call tools even when asked to answer.
        if (!this.#mayCall) return;
        this.callParts.push(part);
        this.#content.push({ type: 'tool-call', toolCallId: part.toolCallId, toolName: part.toolName, input: parsed(part.input) });
        break;
    }
    this.#keepOptions(part);
  }

  /** Data that a provider wants back with a part, such as the signature of a thought. */
  #keepOptions(part: StreamPart): void {
    const metadata = (part as { providerMetadata?: unknown }).providerMetadata;
    if (metadata === undefined) return;
    const target = part.type === 'tool-call' ? this.#content.at(-1) : this.#open.get((part as { id?: string }).id ?? '');
    if (target) target.providerOptions = metadata;
  }

  said(): SaidStep {
    const content = this.#content.filter((part) => part.type === 'tool-call' || part.text !== '' || part.providerOptions !== undefined);
    const calls = content.flatMap((part) =>
      part.type === 'tool-call' ? [{ callId: part.toolCallId, tool: part.toolName, parameters: part.input }] : [],
    );
    return { content, calls };
  }
}

/** Broken arguments become an empty object when sent back to the model; the result reports them. */
function parsed(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
