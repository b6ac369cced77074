import { StringDecoder } from 'node:string_decoder';
import { changedFailure, Failure, isRecord, jsonIn, type Log, type Progress, recordOf } from '@millrace/kernel';
import type { Chatflow } from '../client/chatflow.ts';
import type { OpenReply } from '../client/connection.ts';
import type { Flowise } from '../client/flowise.ts';
import { brokenReply, cancelled, cutShort, failureOfMessage, type Operation, unreadable, wrongUrl } from '../client/refusals.ts';
import { quoted } from '../flow/findings.ts';
import { causeOf } from './causes.ts';
import { type RunEvent, type RunResult, resultOf, StreamedResult, type TraceStep, traceOf } from './result.ts';

export interface Run {
  chatflow: Chatflow;
  chatId: string;
  /** What Flowise is sent besides chatId and streaming. */
  body: Record<string, unknown>;
  timeoutMs: number;
  signal: AbortSignal;
  progress: Progress;
  log: Log;
}

const ASIDE_MS = 5_000;
const STREAMABLE_KEPT = 1_000;

/** Runs chatflows: streaming where the flow can, one at a time within a chat, stopped in Flowise when the call is cancelled. */
export class Runs {
  readonly #flowise: Flowise;
  readonly #chats = new Map<string, Promise<unknown>>();
  readonly #streamable = new Map<string, boolean>();

  constructor(flowise: Flowise) {
    this.#flowise = flowise;
  }

  /** Flowise mixes up two streams of one chat, so they take turns; a cancelled call stops waiting. */
  async run(run: Run): Promise<RunResult> {
    const key = `${run.chatflow.id} ${run.chatId}`;
    const before = this.#chats.get(key);
    const turn = before ? Promise.race([before, aborted(run.signal)]).then(() => this.#run(run)) : this.#run(run);
    const ended = Promise.allSettled([before, turn]);
    this.#chats.set(key, ended);
    void ended.then(() => {
      if (this.#chats.get(key) === ended) this.#chats.delete(key);
    });
    return turn;
  }

  async #run(run: Run): Promise<RunResult> {
    const { chatflow, chatId, signal } = run;
    if (signal.aborted) throw cancelled(signal.reason);
    const operation = running(run);
    const streaming = await this.#streams(chatflow, signal);
    try {
      const reply = await this.#flowise.predict(operation, chatflow.id, { ...run.body, chatId, streaming }, run);
      if (!/event-stream/.test(reply.contentType)) return await wholeReply(reply, operation, chatId);
      return await this.#streamed(reply, run, operation);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (signal.aborted) await this.#stop(run);
      else if (error.code === 'timeout') throw stillRunning(run);
      else if (error.code === 'upstream' && !error.details.trace && chatflow.type === 'AGENTFLOW') {
        throw withTrace(error, await this.#savedTrace(run));
      }
      throw error;
    }
  }

  async #streamed(reply: OpenReply, run: Run, operation: Operation): Promise<RunResult> {
    const streamed = new StreamedResult();
    const progress = new RunProgress(run.progress);
    for await (const event of eventsOf(reply.body, () => unreadable(operation))) {
      streamed.add(event);
      progress.show(event, streamed.tokens);
    }
    if (streamed.error !== undefined) {
      const failure = failureOfMessage(500, streamed.error, operation, this.#flowise.hasKey);
      throw withTrace(failure, streamed.trace);
    }
    if (!streamed.ended) throw brokenReply(operation);
    return streamed.result(run.chatId);
  }

  /** Whether a run can be streamed. Asking for a stream where there is none makes Flowise keep failures to itself. */
  async #streams({ id, type, updatedDate, settings }: Chatflow, signal: AbortSignal): Promise<boolean> {
    if (type === 'AGENTFLOW' && !/"postProcessing"/.test(settings.chatbotConfig ?? '')) return true;
    const key = `${id} ${updatedDate}`;
    const known = this.#streamable.get(key);
    if (known !== undefined) return known;
    const streamable = await this.#flowise.isStreamable(id, { signal }).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'upstream') return false;
      throw error;
    });
    if (this.#streamable.size >= STREAMABLE_KEPT) this.#streamable.clear();
    this.#streamable.set(key, streamable);
    return streamable;
  }

  async #stop({ chatflow, chatId, log }: Run): Promise<void> {
    await this.#flowise.abort(chatflow.id, chatId, { signal: AbortSignal.timeout(ASIDE_MS) }).catch((error: unknown) => {
      log.warn({ err: error, chatflow: chatflow.id }, 'could not stop a cancelled run in Flowise');
    });
  }

  async #savedTrace({ chatflow, chatId, body, log }: Run): Promise<TraceStep[]> {
    const sessionId = String(recordOf(body['overrideConfig'])['sessionId'] ?? chatId);
    const send = { signal: AbortSignal.timeout(ASIDE_MS) };
    const saved = await this.#flowise.execution(chatflow.id, sessionId, send).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      log.warn({ err: error, chatflow: chatflow.id }, 'could not read which nodes ran before the failure');
      return undefined;
    });
    return traceOf(saved?.executionData);
  }
}

function running({ chatflow, chatId }: Run): Operation {
  return {
    does: 'run the chatflow',
    permissions: [],
    kind: 'change',
    chatflowId: chatflow.id,
    meaning(message) {
      if (/MIME type|file extension/i.test(message)) return badUpload();
      const { code, message: why, fix } = causeOf(message);
      return new Failure('upstream', `The run of the chatflow failed: ${why}`, {
        details: { cause: code, chatflow_id: chatflow.id, chat_id: chatId },
        ...(fix && { fix: { instruction: fix } }),
      });
    },
  };
}

function badUpload(): Failure {
  const message = "Flowise refused a file: its name's extension and its media type do not belong together, or are not taken";
  return new Failure('invalid_input', message, { details: { field: 'uploads', value: null, constraint: 'format' } });
}

async function wholeReply(reply: OpenReply, operation: Operation, chatId: string): Promise<RunResult> {
  if (!/\bjson\b/i.test(reply.contentType)) throw wrongUrl('does not answer with JSON');
  const chunks: Buffer[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const json = jsonOf(Buffer.concat(chunks).toString('utf8'), operation);
  return resultOf(isRecord(json) ? json : { json }, chatId);
}

function jsonOf(text: string, operation: Operation): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw cutShort(operation, cause);
  }
}

/** Which node failed, and what ran before it. */
function withTrace(failure: Failure, trace: TraceStep[]): Failure {
  if (trace.length === 0 || failure.code !== 'upstream') return failure;
  const failed = trace.findLast((step) => step.status === 'ERROR');
  const at = failed ? ` at the node "${failed.label}"` : '';
  const details = { ...failure.details, ...(failed && { node: failed.node }), trace };
  return changedFailure(failure, { message: failure.message.replace(/failed:/, `failed${at}:`), details });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function stillRunning({ chatflow, chatId, timeoutMs }: Run): Failure {
  const seconds = timeoutMs / 1000;
  const where = `The run may go on in Flowise: its answer will be in the chat ${chatId} of this chatflow`;
  return new Failure('timeout', `No answer within ${seconds} seconds. ${where}`, {
    details: { chatflow_id: chatflow.id, chat_id: chatId, timeout_seconds: seconds },
    fix: { instruction: `Ask get_prediction_result for chat_id "${chatId}" later, or raise FLOWISE_TIMEOUT` },
  });
}

const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Reads the stream: blocks of lines, of which the one that begins with `data:` holds the event as JSON. */
async function* eventsOf(body: AsyncIterable<Buffer>, tooLarge: () => Failure): AsyncGenerator<RunEvent> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.write(chunk);
    if (rest.length > MOST_CHARACTERS) throw tooLarge();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = eventOf(line);
      if (event) yield event;
    }
  }
  const last = eventOf(rest);
  if (last) yield last;
}

function eventOf(line: string): RunEvent | undefined {
  if (!line.startsWith('data:')) return undefined;
  const { event, data } = recordOf(jsonIn(line.slice('data:'.length)));
  return typeof event === 'string' ? { event, data } : undefined;
}

const EVERY_MS = 250;
const LONGEST_TAIL = 200;

const SAID: Record<string, string> = { INPROGRESS: 'runs', FINISHED: 'is done', ERROR: 'failed', STOPPED: 'waits for a person' };

/** Turns the events of a run into progress: each node as it begins and ends, and the answer as it grows, a few times a second. */
class RunProgress {
  readonly #progress: Progress;
  #done = 0;
  #shownAt = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  show({ event, data }: RunEvent, answer: string): void {
    if (event === 'nextAgentFlow') {
      const node = recordOf(data);
      const said = SAID[String(node['status'])];
      if (said) this.#progress(++this.#done, undefined, `${quoted(String(node['nodeLabel'] ?? ''))} ${said}`);
    } else if (event === 'token' && answer && performance.now() - this.#shownAt >= EVERY_MS) {
      this.#shownAt = performance.now();
      this.#progress(++this.#done, undefined, answer.length > LONGEST_TAIL ? `…${answer.slice(-LONGEST_TAIL)}` : answer);
    }
  }
}
