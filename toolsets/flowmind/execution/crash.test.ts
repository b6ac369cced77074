import type { Store } from '@millrace/storage';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Envelope } from '../../../test/harness/flowmind-replies.ts';
import { verifies } from '../../../test/requirements.ts';
import type { FlowmindTables } from '../migrations.ts';
import type { Fixture } from '../testing/assembly.ts';
import { flowmind, memoryStore, workshop } from '../testing/fixture.ts';

/** A store that dies at one of its transactions: before it is written, or right after, when nobody hears of it any more. */
function mortal(store: Store<FlowmindTables>, at: number, when: 'before' | 'after'): Store<FlowmindTables> {
  let count = 0;
  return new Proxy(store, {
    get(target, key) {
      if (key !== 'transaction') return Reflect.get(target, key);
      return async (...given: Parameters<Store<FlowmindTables>['transaction']>) => {
        count++;
        if (count > at || (count === at && when === 'before')) throw new Error('the process is gone');
        const result = await target.transaction(...given);
        if (count === at) throw new Error('the process is gone');
        return result;
      };
    },
  });
}

let names = 0;
const note = fc.constant(null).map(() => `{call: note_down, with: {text: "n${++names} \${i} \${x}"}}`);
const step = fc.constant('{step: Think}');
const leaf = fc.oneof(note, step, fc.constant('{increment: i}'), fc.constant('{call: look_up, with: {text: a}}'));
const { node } = fc.letrec<{ node: string }>((tie) => {
  const body = fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((nodes) => `[${nodes.join(', ')}]`);
  return {
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      leaf,
      body.map((nodes) => `{for_each: "x in [1, 2]", do: ${nodes}}`),
      fc.tuple(body, body).map(([a, b]) => `{if: "i % 2 == 0", then: ${a}, else: ${b}}`),
      body.map((nodes) => `{try: ${nodes}, finally: [{increment: i}]}`),
      body.map((nodes) => `{workflow: "workflow://part", with: {i: "\${i}"}}, {if: true, then: ${nodes}}`),
      body.map((nodes) => `{parallel: {max_concurrency: 1, tasks: [{task: a, do: ${nodes}}, {task: b, do: [{increment: i}]}]}}`),
    ),
  };
});
const flows = fc
  .array(node, { minLength: 1, maxLength: 4 })
  .map((nodes) => `{metadata: {id: flow, description: x}, variables: {i: 0, x: 0}, flow: [${nodes.join(', ')}, {return: "i \${i}"}]}`);
const PART = '{metadata: {id: part, description: x}, variables: {i: 0}, flow: [{call: note_down, with: {text: "part"}}, {step: Inside}]}';

interface Life {
  fixture: Fixture;
  done: string[];
}

async function life(store: Store<FlowmindTables>, flow: string, done: string[]): Promise<Life> {
  const { toolset, done: own } = workshop();
  own.push = (...lines) => done.push(...lines);
  return { fixture: await flowmind({ contexts: [flow, PART], toolsets: [toolset], store }), done };
}

/** Continues until the end or until the process dies; answers like a person who can see what was done. */
async function live({ fixture, done }: Life, known: { session?: string; before: number }): Promise<Envelope> {
  let parameters: Record<string, unknown> = { workflow_uri: 'workflow://flow', ...(known.session && { session_id: known.session }) };
  for (;;) {
    const reply = await fixture.envelope('execute_workflow', parameters);
    const run = reply.result;
    if (!run || run.status === 'completed' || run.status === 'failed') return reply;
    known.session = run.session_id;
    const happened = done.length > known.before;
    const value = run.reason === 'outcome_unknown' ? (happened ? 'it happened' : 'do it again') : 'thought';
    known.before = done.length;
    parameters = { workflow_uri: 'workflow://flow', session_id: run.session_id, step_result: { question_id: run.question?.id, value } };
  }
}

verifies(
  'flowmind-execute-session-durable',
  'whichever commit a process dies at, before or after it, the next one does the rest and nothing twice',
  async () => {
    await fc.assert(
      fc.asyncProperty(flows, fc.nat({ max: 12 }), fc.constantFrom('before' as const, 'after' as const), async (flow, at, when) => {
        const expected: string[] = [];
        const reference = await live(await life(await memoryStore(), flow, expected), { before: 0 });
        const store = await memoryStore();
        const done: string[] = [];
        const known: { session?: string; before: number } = { before: 0 };
        const first = await live(await life(mortal(store, at + 1, when), flow, done), known);
        if (!first.success) {
          const [row] = await store.db.selectFrom('flowmind_sessions').select('id').execute();
          if (row) known.session = row.id;
          else expect(done).toEqual([]);
          known.before = lastKnown(done, expected, await begun(store));
          const second = await live(await life(store, flow, done), known);
          expect(second.result?.output).toEqual(reference.result?.output);
        }
        expect(done).toEqual(expected);
        await store.close();
      }),
      { numRuns: 30 },
    );
  },
  60_000,
);

/** How many effects have their result written down: what is beyond that is in doubt. */
async function begun(store: Store<FlowmindTables>): Promise<number> {
  const rows = await store.db.selectFrom('flowmind_journal').selectAll().where('kind', '=', 'done').execute();
  return rows.filter((row) => row.data.includes('"said"') && !row.data.includes('found a')).length;
}

function lastKnown(done: string[], expected: string[], written: number): number {
  expect(done).toEqual(expected.slice(0, done.length));
  return written;
}
