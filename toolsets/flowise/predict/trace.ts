import { quoted } from '../flow/findings.ts';
import { recordOf, textOf } from '../flow/node.ts';

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
  const rows = typeof executed === 'string' ? parsed(executed) : executed;
  if (!Array.isArray(rows)) return [];
  return rows.slice(0, MOST_STEPS).flatMap((row) => {
    const step = recordOf(row);
    return step ? [{ node: plain(step['nodeId']), label: plain(step['nodeLabel']), status: statusOf(step['status']) }] : [];
  });
}

/** What the last node of a run said: this, and not the tokens on the way, is what Flowise answers with. */
export function lastContentOf(executed: unknown): string | undefined {
  const last = Array.isArray(executed) ? recordOf(executed.at(-1)) : undefined;
  return textOf(recordOf(recordOf(last?.['data'])?.['output'])?.['content']);
}

function plain(value: unknown): string {
  return quoted(String(value ?? '')).slice(1, -1);
}

function statusOf(value: unknown): string {
  return STATUSES.has(String(value)) ? String(value) : 'UNKNOWN';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
