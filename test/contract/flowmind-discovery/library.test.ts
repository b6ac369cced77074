import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Registry } from '../../../toolsets/flowmind/contexts/registry.ts';
import type { ContextDefinition } from '../../../toolsets/flowmind/flow/context.ts';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import { OWNER } from '../../harness/millrace.ts';

let flowmind: TestFlowmind;
let contexts: ContextDefinition[];

beforeAll(async () => {
  flowmind = await openFlowmind({ library: true });
  contexts = (await flowmind.services.registry.all('owner')).filter((context) => context.source.kind === 'builtin');
});
afterAll(() => flowmind.close());

interface Run {
  session_id: string;
  status: string;
  question: { id: string; schema: { type?: string; enum?: unknown[] } } | null;
  instruction: string | null;
  error: unknown;
  output: unknown;
}

const LIST = [
  { title: 'First thing', description: 'x', priority: 'high', name: 'First', amount: 10, to: '2.0' },
  { title: 'Second thing', description: 'y', priority: 'low', name: 'Second', amount: 20, to: '3.0' },
];

/** What an obliging assistant and its person would answer. */
function answerTo({ question, instruction }: Run, round: number): unknown {
  const { type, enum: options } = question?.schema ?? {};
  if (options) return options[round % options.length];
  if (type === 'boolean') return round % 2 === 0;
  if (type === 'number' || type === 'integer') return 1200;
  if (type === 'string') return `An answer ${round}`;
  if (/Answer with an object \{risk/.test(instruction ?? '')) return { risk: 'high', reasoning: 'x' };
  if (/Answer with an object \{enough/.test(instruction ?? '')) return { enough: round > 3, next_query: 'orders' };
  if (/Answer with an object \{days/.test(instruction ?? '')) return { days: ['one'], bookings: LIST };
  if (/Answer with (?:the|a) list/.test(instruction ?? '')) return LIST;
  return `Result of round ${round}`;
}

async function play(context: ContextDefinition, offset: number): Promise<Run> {
  const values: Record<string, unknown> = { number: 5000, integer: 5, boolean: true, array: LIST, object: {} };
  const required = Object.entries(context.variables).filter(([, spec]) => spec.required);
  const initial_variables = Object.fromEntries(
    required.map(([name, spec]) => [name, spec.values?.[0] ?? values[spec.type] ?? `Some ${name}`]),
  );
  const call = async (parameters: Record<string, unknown>): Promise<Run> => {
    const { success, result, error } = await flowmind.ask('execute_workflow', { workflow_uri: context.uri, ...parameters }, OWNER);
    if (!success) throw new Error(`${context.uri}: ${JSON.stringify(error)}`);
    return result;
  };
  let run = await call({ initial_variables, constraints: { max_steps: 100 } });
  for (let round = offset; run.question && round < offset + 90; round++) {
    run = await call({ session_id: run.session_id, step_result: { question_id: run.question.id, value: answerTo(run, round) } });
  }
  return run;
}

test('there are at least forty contexts over the six domains, from simple to expert', () => {
  expect(contexts.length).toBeGreaterThanOrEqual(40);
  expect(contexts.filter((context) => context.type === 'workflow').length).toBeGreaterThanOrEqual(40);
  expect(new Set(contexts.map((context) => context.domain))).toEqual(
    new Set(['technical', 'creative', 'business', 'regulatory', 'personal', 'emergency']),
  );
  expect(new Set(contexts.map((context) => context.complexity))).toEqual(new Set(['simple', 'moderate', 'complex', 'expert']));
});

test('no file has a finding', async () => {
  expect(await (flowmind.services.registry as Registry).issues()).toEqual([]);
});

test('each has a description, a condition and eight examples that no other has', () => {
  const seen = new Map<string, string>();
  for (const context of contexts) {
    expect(context.description.length, context.uri).toBeGreaterThan(20);
    expect(context.activation.condition, context.uri).not.toBe(context.description);
    expect(new Set(context.examples).size, context.uri).toBeGreaterThanOrEqual(8);
    for (const example of context.examples) {
      expect(seen.get(example), `"${example}" of ${context.uri}`).toBeUndefined();
      seen.set(example, context.uri);
      expect(example.split(' ').length, example).toBeGreaterThanOrEqual(3);
    }
  }
});

describe('every context runs to its end', () => {
  test.each([0, 1])(
    'with the answers that begin at %i',
    async (offset) => {
      for (const context of contexts) {
        const run = await play(context, offset);
        expect({ uri: context.uri, status: run.status, error: run.error }).toEqual({ uri: context.uri, status: 'completed', error: null });
        expect(run.output, context.uri).not.toBeNull();
      }
    },
    60_000,
  );
});
