import { z } from 'zod';
import { type Hop, type Trace, traceFlow } from '../graph/flow.ts';
import { resolveEntity } from '../graph/resolve.ts';
import { entityName, hopData, hopList, inferredToo, placeOf, tool } from '../tool.ts';

export const flowragTrace = tool({
  name: 'flowrag_trace',
  description: 'Trace data flow upstream or downstream from an entity.',
  said: [
    'where does the order data flow to',
    'trace the data upstream of the report',
    'what would be affected downstream if this service fails',
  ],
  access: 'read',
  annotations: { title: 'Trace data flow', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    entity: entityName('entity'),
    direction: z.enum(['upstream', 'downstream']).describe('Direction'),
    inferred: inferredToo,
  }),
  output: z.object({
    entity: z.string(),
    chains: z.array(z.array(z.string())),
    hops: hopList,
    cycles: hopList,
    truncated: z.boolean(),
    warnings: z.array(z.string()),
  }),

  async run({ entity, direction, inferred = false }, { services }) {
    const store = await services.collection();
    const warnings = await services.warnings();
    const start = await resolveEntity(store, entity, warnings);
    const trace = await traceFlow(store, services.configuration.schema, start, direction, inferred);
    return { entity: start.name, trace, warnings };
  },

  present({ entity, trace, warnings }, { input: { direction } }) {
    const { chains, hops, cycles, truncated } = trace;
    return {
      data: { entity, chains, hops: hops.map(hopData), cycles: cycles.map(hopData), truncated, warnings },
      words: [...warnings, traceText(trace, entity, direction)].join('\n\n'),
    };
  },
});

const MOST_LINES = 100;

function traceText({ chains, hops, cycles, truncated }: Trace, name: string, direction: string): string {
  const lines = chains.slice(0, MOST_LINES).map((chain) => chain.join(' → '));
  if (lines.length === 0) lines.push(cycles.length > 0 ? name : `Nothing is known ${direction} of ${name}.`);
  for (const hop of cycles.slice(0, MOST_LINES)) lines.push(`Cycle, cut here: ${hop.from} → ${hop.to}`);
  if (truncated) lines.push('There is more: only the nearest 200 entities were followed.');
  if (hops.length > 0) lines.push('', 'By:', ...hops.slice(0, MOST_LINES).map(hopLine));
  return lines.join('\n');
}

function hopLine(hop: Hop): string {
  return `${hop.from} --[${hop.type}]--> ${hop.to}${hop.inferred ? ' (inferred)' : ''}${placeOf(hop.evidence)}`;
}
