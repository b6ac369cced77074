import { z } from 'zod';
import type { Ready } from './process-pool.ts';
import type { FromCode, FromEngine } from './protocol.ts';

const ready = z.strictObject({ kind: z.literal('ready') });
const number = z.number().int().nonnegative();
const text = z.string().max(100_000);
const id = z.string().max(100);
const record = z.record(z.string(), z.unknown());
const problem = { message: z.string(), description: z.string().optional() };
const item = z.looseObject({ json: record });
const outcome = z.union([
  z.strictObject({ ok: z.literal(true), value: z.unknown().optional() }),
  z.strictObject({ ok: z.literal(false), error: z.looseObject({ message: z.string() }) }),
]);

const nodeRun = z.strictObject({
  node: z.string(),
  order: number,
  status: z.enum(['success', 'error']),
  executionTime: z.number(),
  outputs: z.array(z.array(item)),
  itemCounts: z.array(number).optional(),
  error: z.strictObject(problem).optional(),
});

const helper = { task: number, call: number, name: id, parameters: z.array(z.unknown()) };

/** What an engine process may say: it runs expressions and nodes of workflows, so it is not trusted. */
const fromEngine = z.discriminatedUnion('kind', [
  ready,
  z.strictObject({ kind: z.literal('node'), executionId: id, run: nodeRun }),
  z.strictObject({ kind: z.literal('log'), executionId: id, line: text }),
  z.strictObject({ kind: z.literal('code'), executionId: id, task: number, code: z.looseObject({ code: z.string() }) }),
  z.strictObject({ kind: z.literal('helper-done'), executionId: id, task: number, call: number, outcome }),
  z.strictObject({
    kind: z.literal('call'),
    executionId: id,
    task: number,
    request: z.strictObject({ id: z.unknown().optional(), name: z.string().optional(), written: z.unknown().optional() }),
  }),
  z.strictObject({
    kind: z.literal('done'),
    executionId: id,
    status: z.enum(['success', 'error']),
    error: z.strictObject({ node: z.string().nullable(), ...problem }).optional(),
    executionTime: z.number(),
  }),
]);

const scriptOutcome = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    result: z.unknown().optional(),
    staticData: record.optional(),
    customData: z.record(z.string(), z.string()).optional(),
    logs: z.array(z.string()),
  }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({ ...problem, stack: z.string().optional(), lineNumber: z.number().optional() }),
    logs: z.array(z.string()),
  }),
]);

/** What a process with a script may say. */
const fromCode = z.discriminatedUnion('kind', [
  ready,
  z.strictObject({ kind: z.literal('done'), task: number, outcome: scriptOutcome }),
  z.strictObject({ kind: z.literal('helper'), ...helper }),
]);

export const checkEngineMessage = (value: unknown) => fromEngine.parse(value) as FromEngine | Ready;
export const checkCodeMessage = (value: unknown) => fromCode.parse(value) as FromCode | Ready;
