import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { entityName, hopData, hopList, inferredToo, placeOf } from '../graph/arguments.ts';
import type { Hop } from '../graph/flow.ts';
import { shortestPath } from '../graph/flow.ts';
import { tool } from '../tool.ts';

export const flowragPath = tool({
  name: 'flowrag_path',
  description: 'Find the shortest path between two entities in the knowledge graph, along the flow of data.',
  access: 'read',
  annotations: { title: 'Shortest path', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    from: entityName('from'),
    to: entityName('to'),
    maxDepth: quietLimits(
      z.number().int('maxDepth must be a whole number').min(1, 'maxDepth must be from 1 to 50').max(50, 'maxDepth must be from 1 to 50'),
    )
      .default(5)
      .describe('Maximum hops'),
    inferred: inferredToo,
  }),
  output: z.object({
    text: z.string(),
    found: z.boolean(),
    from: z.string(),
    to: z.string(),
    hops: hopList,
    warnings: z.array(z.string()),
  }),

  async run({ from, to, maxDepth, inferred = false }, { services }) {
    const store = await services.collection();
    const { schema } = services.configuration;
    const [start, end] = [await services.resolve(from), await services.resolve(to)];
    const options = { maxDepth, inferred };
    const hops = await shortestPath(store, schema, start.id, end.id, options);
    const warnings = await services.warnings();
    const reply = { found: hops !== undefined, from: start.name, to: end.name, hops: (hops ?? []).map(hopData), warnings };
    if (hops) return { text: [...warnings, pathText(hops, start.name)].join('\n\n'), ...reply };
    const back = await shortestPath(store, schema, end.id, start.id, options);
    const against = back ? `\nThe other way round there is one: ${chainText(back, end.name)}` : '';
    return {
      text: [...warnings, `There is no path from ${start.name} to ${end.name} within ${maxDepth} hops.${against}`].join('\n\n'),
      ...reply,
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
