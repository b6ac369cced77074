import type { Context, Toolset } from '@millrace/kernel';
import { expect } from 'vitest';
import { z } from 'zod';
import { openFlowmind, type TestFlowmind } from '../../harness/flowmind.ts';
import { product } from '../../harness/package.ts';
import { plainWire } from '../../harness/plain-wire.ts';
import { workflowText } from '../../harness/workflow-text.ts';
import { verifies } from '../../requirements.ts';

const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const { toolsOf } = await product();
const tool = toolsOf<Record<string, never>>();

/** Stand-ins for the toolsets that publish contexts. */
function published(): Toolset[] {
  const context = (fields: Partial<Context> & Pick<Context, 'uri' | 'type' | 'name' | 'description' | 'action'>): Context => ({
    tags: [],
    complexity: 'simple',
    examples: [],
    variables: { required: [], optional: [] },
    ...fields,
  });
  const toolset = (name: string, contexts: Context[], tools: Toolset['tools'] = []): Toolset => ({
    name,
    title: name,
    instructions: '',
    services: {},
    wire: plainWire,
    tools,
    contexts: () => contexts,
  });
  const weigh = tool({
    name: 'weigh_parcel',
    description: 'Tell what it costs to send a parcel of a given weight',
    said: [],
    access: 'read',
    annotations: { title: 'Weigh a parcel', ...HINTS },
    input: z.strictObject({ weight_kg: z.number().positive().describe('Its weight') }),
    output: z.object({ price: z.number() }),
    run: ({ weight_kg }) => ({ price: weight_kg * 4 }),
  });
  return [
    toolset('parcels', [], [weigh] as Toolset['tools']),
    toolset('n8n', [
      context({
        uri: 'workflow://n8n/invoice-reminder',
        type: 'workflow',
        name: 'Invoice reminder',
        description: 'Sends a reminder for every unpaid invoice',
        action: { tool: 'weigh_parcel', parameters: { weight_kg: 1 } },
      }),
    ]),
    toolset('flowise', [
      context({
        uri: 'agent://flowise/travel-desk',
        type: 'agent',
        name: 'Travel desk',
        description: 'Answers questions of employees about business travel rules',
        variables: { required: ['question'], optional: [] },
        action: { tool: 'weigh_parcel', parameters: { weight_kg: 2 } },
      }),
    ]),
    toolset('flowrag', [
      context({
        uri: 'tool://flowrag/handbook',
        type: 'tool',
        name: 'Handbook',
        description: 'The employee handbook: holidays, sick leave, pensions',
        action: { tool: 'weigh_parcel', parameters: { weight_kg: 3 } },
      }),
    ]),
  ];
}

const find = async (flowmind: TestFlowmind, query: string, extracted_variables: Record<string, unknown> = {}) => {
  const { result } = await flowmind.ask('field_request', { query, confidence_level: 0.6, extracted_variables });
  return result.matches[0];
};

verifies(
  ['flowmind-contexts-from-toolsets', 'flowmind-context-uris', 'flowmind-match-next-action-tool'],
  'one request finds files, workflows, agents, tools and collections alike',
  async () => {
    const flowmind = await openFlowmind({
      toolsets: published(),
      files: {
        'soup.yaml': workflowText('soup', {
          name: 'Soup',
          description: 'Cooks a soup',
          examples: ['cook a soup', 'make soup for dinner', 'I want soup'],
        }),
      },
    });
    expect(await find(flowmind, 'cook a hot soup for tonight')).toMatchObject({ uri: 'workflow://soup', type: 'workflow' });
    expect(await find(flowmind, 'remind people of their unpaid invoices')).toMatchObject({
      uri: 'workflow://n8n/invoice-reminder',
      type: 'workflow',
      next_action: { tool: 'execute_workflow', parameters: { workflow_uri: 'workflow://n8n/invoice-reminder' } },
    });
    expect(await find(flowmind, 'what are the rules for business travel of employees')).toMatchObject({
      uri: 'agent://flowise/travel-desk',
      type: 'agent',
    });
    expect(await find(flowmind, 'look up sick leave in the employee handbook')).toMatchObject({
      uri: 'tool://flowrag/handbook',
      type: 'tool',
    });
    const parcel = await find(flowmind, 'how much does it cost to send a parcel of two kilos', { weight_kg: 2 });
    expect(parcel).toMatchObject({
      uri: 'tool://parcels/weigh-parcel',
      type: 'tool',
      variables: { required: ['weight_kg'], provided: ['weight_kg'], missing: [] },
      next_action: { tool: 'weigh_parcel', parameters: { weight_kg: 2 } },
    });
    const reply = await flowmind.call(parcel.next_action.tool, parcel.next_action.parameters);
    expect(reply.structured).toMatchObject({ price: 8 });
    const wrong = await find(flowmind, 'how much does it cost to send a parcel of two kilos', { weight_kg: 'two' });
    expect(wrong.activation.can_execute).toBe(false);
    const uris = (await flowmind.services.registry.all('owner')).map((context) => context.uri);
    for (const uri of uris) expect(uri).toMatch(/^(workflow|agent|pattern|tool):\/\/[a-z0-9-]+(\/[a-z0-9-]+)*$/);
    expect(uris).toEqual(
      expect.arrayContaining([
        'workflow://n8n/invoice-reminder',
        'agent://flowise/travel-desk',
        'tool://parcels/weigh-parcel',
        'tool://flowrag/handbook',
      ]),
    );
  },
  60_000,
);
