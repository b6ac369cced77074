import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '@millrace/models';
import { expect, onTestFinished } from 'vitest';
import { Registry } from '../../toolsets/flowmind/contexts/registry.ts';
import { Discovery } from '../../toolsets/flowmind/discovery/fit/discovery.ts';
import { Embeddings } from '../../toolsets/flowmind/discovery/index/embeddings.ts';
import { contextMigrations, teachingMigrations } from '../../toolsets/flowmind/migrations.ts';
import type { FinishedCall } from '../../toolsets/flowmind/teaching/lessons.ts';
import { Levels } from '../../toolsets/flowmind/teaching/levels.ts';
import { Teacher } from '../../toolsets/flowmind/teaching/teacher.ts';
import { user } from '../harness/catalog.ts';
import { workflowText } from '../harness/workflow-text.ts';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Letters as directions: enough to tell two texts apart. */
function letters(): Embedder & { count: number } {
  const made = {
    provider: 'test',
    model: 'letters',
    dimensions: 32,
    maxTokens: 100,
    count: 0,
    fingerprint: async () => 'letters',
    countTokens: async () => 1,
    close: async () => {},
    embed: async (texts: readonly string[], { kind }: { kind: string }) => {
      if (kind === 'passage') made.count += texts.length;
      return texts.map((text) => {
        const vector = new Float32Array(32);
        for (const char of text) vector[char.charCodeAt(0) % 32] = (vector[char.charCodeAt(0) % 32] as number) + 1;
        const length = Math.hypot(...vector);
        return vector.map((value) => value / length);
      });
    },
  };
  return made;
}

onEachDatabase('FlowMind discovery', (database) => {
  const open = () => database().open({ migrations: [...contextMigrations, ...teachingMigrations] });

  verifies('kernel-postgres', 'contexts, embeddings and the index are kept and found again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-contexts-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const id of ['garden', 'kitchen']) {
      await writeFile(
        join(folder, `${id}.yaml`),
        workflowText(id, { name: id, description: `Works in the ${id}`, examples: [`go to the ${id}`, `work in my ${id}`] }),
      );
    }
    const found = async () => {
      const { store } = await open();
      const embedder = letters();
      const { clock } = database();
      const registry = new Registry({
        folders: [folder],
        library: undefined,
        published: async () => [],
        store,
        clock,
        log: QUIET,
        watch: false,
      });
      const discovery = new Discovery({ registry, embeddings: new Embeddings(store, embedder), store, clock, log: QUIET });
      const { candidates } = await discovery.search('work in the garden');
      await discovery.close();
      return { embedded: embedder.count, ranking: candidates.map(({ context, fitness }) => [context.uri, fitness]) };
    };
    const first = await found();
    expect(first.embedded).toBe(6);
    expect(first.ranking[0]?.[0]).toBe('workflow://garden');
    expect(await found()).toEqual({ embedded: 0, ranking: first.ranking });
  });

  verifies('kernel-postgres', 'lessons, predictions, outcomes and successes are counted', async () => {
    const { store, counters } = await open();
    const { clock } = database();
    const levels = new Levels({ counter: counters, program: () => 'millrace', thresholds: { intermediate: 2, advanced: 3 } });
    const nothing = { find: () => undefined } as never;
    const teacher = new Teacher({ store, levels, catalog: () => nothing, clock, registry: { get: async () => undefined } });
    const who = user('learner');
    const call = (round: number, extracted_variables: Record<string, unknown>): FinishedCall => ({
      id: `call-${round}`,
      tool: 'field_request',
      user: who,
      input: { query: `round ${round} of it`, confidence_level: 0.5, extracted_variables },
      result: {
        status: 'success',
        matches: [
          {
            uri: 'workflow://garden',
            type: 'workflow',
            name: 'Garden',
            confidence: 0.9,
            activation: { can_execute: false },
            variables: { required: [], missing: [] },
          },
        ],
      },
      timings: { alpha_llm: 0, search: 1, assembly: 0 },
    });
    const first = await teacher.enhance(call(1, {}));
    expect(first).toMatchObject({ teaching: { level: 'beginner' }, _unlocks: { level: 'beginner', successful_calls: 1 } });
    const outcome = { sessionId: 'session', userId: who.id, uri: 'workflow://garden', status: 'completed' as const };
    await teacher.sessionEnded(outcome);
    await teacher.sessionEnded(outcome);
    expect(await teacher.popularity()).toEqual(new Map([['workflow://garden', 1]]));
    clock.advance(1000);
    const second = await teacher.enhance(call(2, { domain: 'personal' }));
    expect(second.teaching).toMatchObject({
      level: 'intermediate',
      confidence_calibration: expect.stringContaining('0.50 was actually 1.00'),
    });
    expect(second._insights).toMatchObject({ lessons_measured: 1, lessons_taken_up: 1 });
    expect(second.teaching.unlock).toContain('execute_workflow tool now available');
    expect(await levels.levelOf(who)).toBe('intermediate');
  });
});
