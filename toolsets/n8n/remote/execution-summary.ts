import { brief, recordOf } from '@millrace/kernel';
import { z } from 'zod';
import type { KeptRun } from '../engine/run-history.ts';
import type { RemoteExecution } from './client.ts';

export const executionSummary = brief(
  z.object({
    id: z.string(),
    status: z.string(),
    mode: z.string().nullable(),
    startedAt: z.string().nullable(),
    stoppedAt: z.string().nullable(),
    error: z.string().optional(),
    nodes: z
      .array(
        z.object({
          node: z.string(),
          status: z.string(),
          executionTime: z.number().nullable(),
          items: z.number(),
          sample: z.array(z.unknown()),
          error: z.string().optional(),
        }),
      )
      .optional(),
  }),
);

const MAX_NODES = 100;
const MAX_SAMPLE = 3;
const MAX_SAMPLE_TEXT = 4_000;

/** An execution as a caller can use it: what each node did, with a few of its items. */
export function summarizeExecution(execution: RemoteExecution): z.infer<typeof executionSummary> {
  const { resultData } = execution.data ?? {};
  const failure = resultData?.error?.message;
  return {
    id: String(execution.id),
    status: execution.status ?? (execution.finished ? 'success' : 'unknown'),
    mode: execution.mode ?? null,
    startedAt: execution.startedAt ?? null,
    stoppedAt: execution.stoppedAt ?? null,
    ...(typeof failure === 'string' && { error: failure.slice(0, 500) }),
    ...(resultData?.runData && { nodes: Object.entries(resultData.runData).slice(0, MAX_NODES).map(nodeSummary) }),
  };
}

/** A run that was made here, in the same words. */
export function summarizeRun(run: KeptRun): z.infer<typeof executionSummary> {
  const { result } = run;
  return {
    id: run.executionId,
    status: run.status,
    mode: 'test',
    startedAt: new Date(Date.parse(run.at) - run.executionTime).toISOString(),
    stoppedAt: run.at,
    ...(result?.error && { error: result.error.message.slice(0, 500) }),
    ...(result && {
      nodes: result.runs.slice(0, MAX_NODES).map((each) => {
        const items = each.outputs.flat();
        return {
          node: each.node,
          status: each.status,
          executionTime: each.executionTime,
          items: items.length,
          sample: items.slice(0, MAX_SAMPLE).map((item) => short(item.json)),
          ...(each.error && { error: each.error.message.slice(0, 500) }),
        };
      }),
    }),
  };
}

function nodeSummary([node, runs]: [string, unknown]) {
  const run = recordOf(Array.isArray(runs) ? runs.at(-1) : undefined);
  const { main } = recordOf(run['data']);
  const items: unknown[] = Array.isArray(main) ? main.flatMap((output) => (Array.isArray(output) ? output : [])) : [];
  const { message } = recordOf(run['error']);
  return {
    node,
    status: typeof run['executionStatus'] === 'string' ? run['executionStatus'] : message ? 'error' : 'success',
    executionTime: typeof run['executionTime'] === 'number' ? run['executionTime'] : null,
    items: items.length,
    sample: items.slice(0, MAX_SAMPLE).map((item) => short(recordOf(item)['json'])),
    ...(typeof message === 'string' && { error: message.slice(0, 500) }),
  };
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_SAMPLE_TEXT ? (value ?? null) : { truncated: true, head: text.slice(0, 500) };
}
