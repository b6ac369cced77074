import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFlowmind, workshop } from '../../harness/flowmind.ts';
import { verifies } from '../../requirements.ts';

const whole = () => openFlowmind({ library: true, toolsets: [workshop().toolset] });

verifies('flowmind-tools-listed', 'the toolset publishes its six tools', async () => {
  const { catalog } = await openFlowmind();
  expect(
    catalog
      .entries()
      .map(({ tool }) => tool.name)
      .sort(),
  ).toEqual([
    'compose_workflow',
    'evaluate_semantic_condition',
    'execute_workflow',
    'field_request',
    'get_help',
    'list_available_contexts',
  ]);
});

verifies(
  'flowmind-compose-save',
  'a saved workflow is found by field_request and runs',
  async () => {
    const { call } = await whole();
    const composed = await call('compose_workflow', {
      name: 'harbour-lantern-inventory',
      description: 'Counts the lanterns of the harbour and writes the inventory down',
      flow_type: 'sequential',
      save: true,
      components: [
        { uri: 'tool://workshop/look-up', role: 'primary', configuration: { text: 'lanterns' } },
        { uri: 'tool://workshop/note-down', role: 'primary', configuration: { text: 'inventory' } },
      ],
    });
    expect(composed.structured).toMatchObject({
      success: true,
      result: { checks: [], saved_path: join('contexts', 'workflows', 'harbour-lantern-inventory.yaml') },
    });
    const found = await call('field_request', {
      query: 'Count the lanterns of the harbour and write the inventory down',
      confidence_level: 0.5,
    });
    const { result } = found.structured as { result: { matches: { uri: string }[] } };
    expect(result.matches[0]?.uri).toBe('workflow://harbour-lantern-inventory');
    const ran = await call('execute_workflow', { workflow_uri: 'workflow://harbour-lantern-inventory' });
    expect(ran.structured).toMatchObject({ success: true, result: { status: 'completed' } });
  },
  30_000,
);

test('every built-in workflow previews without a missing context or a broken flow', async () => {
  const { call, services } = await whole();
  const contexts = (await services.registry.all('owner')).filter((context) => context.source.kind === 'builtin');
  expect(contexts.length).toBeGreaterThanOrEqual(40);
  for (const { uri } of contexts) {
    const reply = await call('execute_workflow', { workflow_uri: uri, dry_run: true });
    expect([uri, (reply.structured as { success: boolean }).success]).toEqual([uri, true]);
    expect(reply.text).not.toContain('which does not exist');
  }
}, 30_000);
