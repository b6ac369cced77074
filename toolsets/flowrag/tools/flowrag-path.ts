import { z } from 'zod';
import { type Hop, shortestPath } from '../graph/flow.ts';
import { resolveEntity } from '../graph/resolve.ts';
import { countUpTo, entityName, hopData, hopList, inferredToo, placeOf, tool } from '../tool.ts';

export const flowragPath = tool({
  name: 'flowrag_path',
  description: 'Find the shortest path between two entities in the knowledge graph, along the flow of data.',
  said: [
    'how are the checkout and the warehouse connected',
    'find the path between two services',
    'what lies between these two systems in the graph',
  ],
  access: 'read',
  annotations: { title: 'Shortest path', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    from: entityName('from'),
    to: entityName('to'),
    maxDepth: countUpTo(50, 'maxDepth').default(5).describe('Maximum hops'),
    inferred: inferredToo,
  }),
  output: z.object({
    found: z.boolean(),
    from: z.string(),
    to: z.string(),
    hops: hopList,
    warnings: z.array(z.string()),
  }),

  async run({ from, to, maxDepth, inferred = false }, { services }) {
    const store = await services.collection();
    const { schema } = services.configuration;
    const warnings = await services.warnings();
    const [start, end] = [await resolveEntity(store, from, warnings), await resolveEntity(store, to, warnings)];
    const options = { maxDepth, inferred };
    const hops = await shortestPath(store, schema, start.id, end.id, options);
    const back = hops ? undefined : await shortestPath(store, schema, end.id, start.id, options);
    return { from: start.name, to: end.name, hops, back, warnings };
  },

  present({ from, to, hops, back, warnings }, { input: { maxDepth } }) {
    const against = back ? `\nThe other way round there is one: ${chainText(back, to)}` : '';
    const text = hops ? pathText(hops, from) : `There is no path from ${from} to ${to} within ${maxDepth} hops.${against}`;
    return {
      data: { found: hops !== undefined, from, to, hops: (hops ?? []).map(hopData), warnings },
      words: [...warnings, text].join('\n\n'),
    };
  },
});

function pathText(hops: readonly Hop[], start: string): string {
  if (hops.length === 0) return `${start} (both names mean the same entity)`;
  const evidence = hops.flatMap((hop) => {
    const [first] = hop.evidence;
    return first
      ? [`${hop.from} --[${hop.type}]--> ${hop.to}${placeOf(hop.evidence)}\n> ${first.text.replace(/\s+/g, ' ').slice(0, 300)}`]
      : [];
  });
  return [chainText(hops, start), ...(evidence.length > 0 ? ['', 'Evidence:', ...evidence] : [])].join('\n');
}

function chainText(hops: readonly Hop[], start: string): string {
  return start + hops.map((hop) => ` --[${hop.type}]--> ${hop.to}`).join('');
}
