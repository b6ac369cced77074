import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { graphSchema } from '../schema.ts';
import type { Collection, StoredRelation } from '../store/collection.ts';
import { testFlowrag } from '../testing/flowrag.ts';
import { hopsOf, shortestPath, traceFlow } from './flow.ts';
import { resolveEntity } from './resolve.ts';

const TYPES = ['CONSUMES', 'USES', 'DEPENDS_ON', 'PRODUCES', 'OWNS', 'FEEDS', 'EATS'];
const schema = graphSchema.parse({ flows: { EATS: 'object-to-subject' } });
const named = (id: string) => ({ id, name: id });

interface Edge {
  source: string;
  type: string;
  target: string;
  inferred?: boolean;
}

/** A store that has only these relations. */
function storeOf(edges: readonly Edge[]): Collection {
  const relations = edges.map(
    ({ source, type, target, inferred = false }, id): StoredRelation => ({
      ...{
        id,
        sourceId: source,
        source,
        type,
        targetId: target,
        target,
        description: '',
        fields: {},
        confidence: inferred ? 0.2 : 0.9,
        inferred,
      },
      evidence: [],
    }),
  );
  return {
    relationsOf: async (ids: readonly string[], { inferred }: { inferred: boolean }) =>
      relations.filter((one) => (ids.includes(one.sourceId) || ids.includes(one.targetId)) && (inferred || !one.inferred)),
    entityNames: async () => [...new Set(edges.flatMap((edge) => [edge.source, edge.target]))].map((id) => ({ id, name: id, aliases: [] })),
  } as unknown as Collection;
}

/** The rule of the design, written down once more, by hand. */
function carries({ source, type, target }: Edge): [string, string] | undefined {
  if (type === 'OWNS') return undefined;
  return ['CONSUMES', 'USES', 'DEPENDS_ON', 'EATS'].includes(type) ? [target, source] : [source, target];
}

const entity = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const edges = fc.array(fc.record({ source: entity, type: fc.constantFrom(...TYPES), target: entity }), { maxLength: 14 });

describe('the flow of data', () => {
  verifies('flowrag-data-flow-direction', 'follows each type of relation as the design says', async () => {
    await fc.assert(
      fc.asyncProperty(edges, entity, async (all, from) => {
        const expected = new Set(
          all.flatMap((edge) => (carries(edge)?.[0] === from && edge.source !== edge.target ? [carries(edge)?.[1]] : [])),
        );
        const hops = await hopsOf(storeOf(all.filter((edge) => edge.source !== edge.target)), schema, [from], 'downstream', false);
        expect(new Set(hops.map((hop) => hop.toId))).toEqual(expected);
        for (const hop of hops) expect(hop.fromId).toBe(from);
      }),
    );
  });

  verifies('flowrag-path-shortest', 'finds a shortest path within maxDepth, or none', async () => {
    await fc.assert(
      fc.asyncProperty(edges, entity, entity, fc.integer({ min: 1, max: 5 }), async (all, from, to, maxDepth) => {
        const distance = distances(all, from).get(to);
        const path = await shortestPath(storeOf(all), schema, from, to, { maxDepth, inferred: false });
        if (distance === undefined || distance > maxDepth) {
          expect(path).toBeUndefined();
          return;
        }
        expect(path).toHaveLength(distance);
        path?.forEach((hop, index) => {
          expect(hop.fromId).toBe(index === 0 ? from : path[index - 1]?.toId);
        });
        expect(distance === 0 ? to : path?.at(-1)?.toId).toBe(to);
      }),
    );
  });

  test('a trace reaches exactly what data can reach, and cuts cycles', async () => {
    await fc.assert(
      fc.asyncProperty(edges, entity, fc.constantFrom('upstream' as const, 'downstream' as const), async (all, from, direction) => {
        const trace = await traceFlow(storeOf(all), schema, named(from), direction, false);
        const turned = direction === 'downstream' ? all : all.map((edge) => ({ ...edge, source: edge.target, target: edge.source }));
        const reached = [...distances(turned, from).keys()].filter((id) => id !== from).sort();
        expect([...new Set(trace.chains.flat())].filter((id) => id !== from).sort()).toEqual(reached);
        for (const chain of trace.chains) {
          expect(new Set(chain).size).toBe(chain.length);
          expect(direction === 'downstream' ? chain[0] : chain.at(-1)).toBe(from);
        }
      }),
    );
  });

  test('a cycle is cut and said, guessed relations are followed only when asked for', async () => {
    const flowrag = await testFlowrag();
    flowrag.write(
      'a.md',
      'A --[PRODUCES]--> B\nB --[PRODUCES]--> C\nC --[PRODUCES]--> A\nC --[PRODUCES?]--> Z\nX --[PRODUCES]--> Y\nY --[PRODUCES]--> X\n',
    );
    await flowrag.call('flowrag_index');
    const trace = async (parameters: object) =>
      (await flowrag.call('flowrag_trace', { entity: 'A', direction: 'downstream', ...parameters })).text;
    expect((await trace({})).split('\n').slice(0, 2)).toEqual(['A → B → C', 'Cycle, cut here: C → A']);
    expect(await trace({ inferred: true })).toContain('A → B → C → Z');
    expect(await trace({ inferred: true })).toContain('C --[PRODUCES]--> Z (inferred)');
    expect((await flowrag.call('flowrag_path', { from: 'A', to: 'Z' })).text).toContain('There is no path');
    expect((await flowrag.call('flowrag_path', { from: 'A', to: 'Z', inferred: true })).text).toContain('C --[PRODUCES]--> Z');
    expect((await flowrag.call('flowrag_relations', { entity: 'Z' })).text).toContain('(inferred)');
    await flowrag.close();
  });

  test('a trace ends after 200 entities and reports it', async () => {
    const star = Array.from({ length: 300 }, (_, index) => ({
      source: 'hub',
      type: 'PRODUCES',
      target: `n${String(index).padStart(3, '0')}`,
    }));
    const trace = await traceFlow(storeOf(star), schema, named('hub'), 'downstream', false);
    expect(trace.truncated).toBe(true);
    expect(trace.chains).toHaveLength(199);
    const flowrag = await testFlowrag();
    flowrag.write('a.md', star.map(({ target }) => `hub --[PRODUCES]--> ${target}`).join('\n'));
    await flowrag.call('flowrag_index');
    expect((await flowrag.call('flowrag_trace', { entity: 'hub', direction: 'downstream' })).text).toContain('There is more');
    expect((await flowrag.call('flowrag_relations', { entity: 'n' })).text).toContain('and 280 more');
    await flowrag.close();
  });

  test('of several relations between two entities the most certain counts', async () => {
    const store = storeOf([
      { source: 'a', type: 'PRODUCES', target: 'b', inferred: true },
      { source: 'b', type: 'USES', target: 'a' },
      { source: 'b', type: 'CONSUMES', target: 'a' },
    ]);
    expect((await hopsOf(store, schema, ['a'], 'downstream', true)).map((hop) => hop.type)).toEqual(['CONSUMES']);
  });
});

function distances(all: readonly Edge[], from: string): Map<string, number> {
  const found = new Map([[from, 0]]);
  const queue = [from];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const edge of all) {
      // Turned edges keep their type, so the rule is asked for the flow and turned with them.
      const flow = carries(edge);
      if (!flow || flow[0] !== at || found.has(flow[1])) continue;
      found.set(flow[1], (found.get(at) as number) + 1);
      queue.push(flow[1]);
    }
  }
  return found;
}

describe('names', () => {
  const known = [
    { id: 'kafka', name: 'Kafka', aliases: ['event bus'] },
    { id: 'kafkaconnect', name: 'Kafka Connect', aliases: [] },
    { id: 'ledger', name: 'Ledger', aliases: ['books'] },
    { id: 'ledgerservice', name: 'Ledger Service', aliases: ['BOOKS'] },
  ];
  const store = { entityNames: async () => known } as unknown as Collection;

  verifies('flowrag-resolution-order', 'resolve by id or exact name, then in any case, then as a part', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...known), fc.nat(), async ({ id, name }, seed) => {
        const mixed = [...name].map((letter, index) => ((seed >> (index % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join('');
        for (const written of [id, name, mixed, ` ${name} `]) expect((await resolveEntity(store, written)).id).toBe(id);
      }),
    );
    expect((await resolveEntity(store, 'connect')).id).toBe('kafkaconnect');
    expect((await resolveEntity(store, 'event bus')).id).toBe('kafka');
    expect((await resolveEntity(store, 'Event-Bus')).id).toBe('kafka');
    expect((await resolveEntity(store, 'books')).id).toBe('ledger');
    await expect(resolveEntity(store, 'Books')).rejects.toThrow('"Books" matches 2 entities');
    await expect(resolveEntity(store, 'k')).rejects.toThrow('matches');
    await expect(resolveEntity(store, 'x'.repeat(300))).rejects.toThrow(`There is no entity "${'x'.repeat(100)}…"`);
  });

  test('in an index without entities the way out depends on whether documents are indexed', async () => {
    const empty = (documents: number) => ({ entityNames: async () => [], counts: async () => ({ documents }) }) as unknown as Collection;
    const hint = (instruction: string) => ({ fix: { instruction: expect.stringContaining(instruction) } });
    await expect(resolveEntity(empty(0), 'Kafka')).rejects.toMatchObject(hint('run flowrag_index'));
    await expect(resolveEntity(empty(3), 'Kafka')).rejects.toMatchObject(
      hint('No entities were found in the indexed documents; an extractor with a model'),
    );
  });
});
