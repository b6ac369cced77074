import { isRecord, jsonIn, recordOf } from '@millrace/kernel';
import { quoted } from '../flow/findings.ts';
import { textOf } from '../flow/flow.ts';

/** One event of a run as Flowise streams it. */
export interface RunEvent {
  event: string;
  data: unknown;
}

/** One node of a run, as far as it came. */
export interface TraceStep {
  node: string;
  label: string;
  status: string;
}

const MOST_STEPS = 50;
const STATUSES = new Set(['INPROGRESS', 'FINISHED', 'ERROR', 'STOPPED', 'TERMINATED', 'TIMEOUT']);

/** The nodes that ran, out of Flowise's record of them. Their inputs, outputs and error texts stay where they are. */
export function traceOf(executed: unknown): TraceStep[] {
  const rows = typeof executed === 'string' ? jsonIn(executed) : executed;
  if (!Array.isArray(rows)) return [];
  return rows.slice(0, MOST_STEPS).flatMap((row) => {
    return isRecord(row) ? [{ node: plain(row['nodeId']), label: plain(row['nodeLabel']), status: statusOf(row['status']) }] : [];
  });
}

/** What the last node of a run said: this, and not the tokens on the way, is what Flowise answers with. */
export function lastContentOf(executed: unknown): string | undefined {
  const last = recordOf(Array.isArray(executed) ? executed.at(-1) : undefined);
  return textOf(recordOf(recordOf(last['data'])['output'])['content']);
}

function plain(value: unknown): string {
  return quoted(String(value ?? '')).slice(1, -1);
}

function statusOf(value: unknown): string {
  return STATUSES.has(String(value)) ? String(value) : 'UNKNOWN';
}

/** A flow stopped and waits for a person. */
export interface Pause {
  nodeId: string;
  label: string;
  wantsFeedback: boolean;
}

interface SourceDocument {
  text: string;
  source?: string;
}

export interface RunResult {
  text: string;
  chatId: string;
  chatMessageId?: string;
  questionMessageId?: string;
  sessionId?: string;
  executionId?: string;
  usedTools?: string[];
  sourceDocuments?: SourceDocument[];
  trace: TraceStep[];
  pause?: Pause;
}

const MOST_TOOLS = 20;
const MOST_SOURCES = 10;
const LONGEST_SOURCE = 500;

/** The result out of an answer that came at once. */
export function resultOf(reply: Record<string, unknown>, chatId: string): RunResult {
  const pause = pauseOf(reply['action']);
  return {
    text: answerOf(reply),
    chatId: textOf(reply['chatId']) ?? chatId,
    ...textsOf(reply, ['chatMessageId', 'questionMessageId', 'sessionId', 'executionId']),
    ...toolsOf(reply['usedTools']),
    ...sourcesOf(reply['sourceDocuments']),
    trace: traceOf(reply['agentFlowExecutedData']),
    ...(pause && { pause }),
  };
}

/** Puts a result together from the events of a stream. */
export class StreamedResult {
  readonly #reply: Record<string, unknown> = {};
  #tokens = '';
  #executed: unknown;
  /** Set when the run failed. */
  error: string | undefined;
  ended = false;

  get tokens(): string {
    return this.#tokens;
  }

  get trace(): TraceStep[] {
    return traceOf(this.#executed);
  }

  add({ event, data }: RunEvent): void {
    if (event === 'token' && typeof data === 'string') this.#tokens += data;
    else if (event === 'agentFlowExecutedData') this.#executed = data;
    else if (event === 'metadata') Object.assign(this.#reply, recordOf(data));
    else if (event === 'error') this.error = typeof data === 'string' ? data : '';
    else if (event === 'end') this.ended = true;
    else if (event === 'usedTools' || event === 'sourceDocuments' || event === 'action') this.#reply[event] = data;
  }

  result(chatId: string): RunResult {
    const text = lastContentOf(this.#executed) ?? this.#tokens;
    return resultOf({ ...this.#reply, text, agentFlowExecutedData: this.#executed }, chatId);
  }
}

/** Most flows answer with text; some with JSON of their own. */
function answerOf({ text, json }: Record<string, unknown>): string {
  if (typeof text === 'string') return text;
  const other = text ?? json;
  return other === undefined || other === null ? '' : JSON.stringify(other);
}

function pauseOf(action: unknown): Pause | undefined {
  const data = recordOf(recordOf(action)['data']);
  const nodeId = textOf(data['nodeId']);
  if (!nodeId) return undefined;
  const wantsFeedback = recordOf(data['input'])['humanInputEnableFeedback'] !== false;
  return { nodeId, label: textOf(data['nodeLabel']) ?? nodeId, wantsFeedback };
}

function textsOf(reply: Record<string, unknown>, names: string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const text = textOf(reply[name]);
    if (text) texts[name] = text;
  }
  return texts;
}

function toolsOf(tools: unknown): { usedTools?: string[] } {
  const names = Array.isArray(tools) ? tools.flatMap((one) => textOf(recordOf(one)['tool']) ?? []) : [];
  return names.length > 0 ? { usedTools: names.slice(0, MOST_TOOLS) } : {};
}

function sourcesOf(documents: unknown): { sourceDocuments?: SourceDocument[] } {
  if (!Array.isArray(documents) || documents.length === 0) return {};
  return {
    sourceDocuments: documents.slice(0, MOST_SOURCES).map((document) => {
      const source = textOf(recordOf(recordOf(document)['metadata'])['source']);
      return { text: (textOf(recordOf(document)['pageContent']) ?? '').slice(0, LONGEST_SOURCE), ...(source && { source }) };
    }),
  };
}
