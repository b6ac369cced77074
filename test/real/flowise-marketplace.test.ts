import { beforeAll, describe, expect, test } from 'vitest';
import { installRealFlowise } from '../../scripts/real-flowise.ts';
import { faultsIn } from './flowise-faults.ts';
import { flowiseSuite } from './flowise-suite.ts';
import { connectionsOf, stripped, type Template, templatesOf, valuesOf } from './flowise-templates.ts';

const suite = flowiseSuite();
const { call } = suite;
let templates: Template[] = [];
// biome-ignore lint/suspicious/noExplicitAny: definitions as Flowise has them
const definitions = new Map<string, any>();

interface Warning {
  code: string;
  severity: string;
  node?: string;
  message: string;
}

beforeAll(async () => {
  templates = templatesOf((await installRealFlowise()).directory);
  for (const row of (await suite.real.api.send('GET', '/nodes')).json) definitions.set(row.name, row);
});

/** Saves a flow through our tools, undeployed, and gives what was found and what was saved. */
async function saved(name: string, flow: object, type: string): Promise<{ warnings: Warning[]; flow: Template['flow']; own: unknown[] }> {
  const reply = await call('create_chatflow', { name, flow_data: JSON.stringify(flow), type });
  expect(reply.error, name).toBeUndefined();
  const { json } = await suite.real.api.send('GET', `/chatflows/${reply.id}`);
  const own = (await suite.real.api.send('GET', `/validation/${reply.id}`)).json;
  await suite.real.api.send('DELETE', `/chatflows/${reply.id}`);
  return { warnings: reply.warnings ?? [], flow: JSON.parse(json.flowData), own };
}

/** What a person must fill in after choosing a template is not the flow's fault. */
const TO_FILL_IN = new Set(['missing_credential', 'missing_value']);
const faultsOf = (warnings: Warning[]) =>
  warnings.filter(({ severity, code }) => severity === 'error' && !TO_FILL_IN.has(code)).map(({ code, node }) => `${code} ${node}`);
/** This template uses a node that Flowise 3.1.4 no longer has. */
const GONE: Record<string, string[]> = { 'chatflows/CSV Agent': ['unknown_node csvAgent_0'] };

describe('every flow of the marketplace', () => {
  test('is understood as it is, and saved unchanged', async () => {
    expect(templates.length).toBeGreaterThan(50);
    for (const { name, type, flow } of templates) {
      const { warnings, flow: kept } = await saved(name, flow, type);
      expect(faultsOf(warnings), name).toEqual(GONE[name] ?? []);
      expect(kept.nodes, name).toEqual(flow.nodes);
      expect(kept.edges.length, name).toBe(flow.edges.length);
    }
  });

  test('is the same again when only {id, name, inputs} and the edges are sent', async () => {
    for (const { name, type, flow } of templates) {
      const { warnings, flow: filled } = await saved(`${name}, stripped`, stripped(flow), type);
      expect(faultsOf(warnings), name).toEqual(GONE[name] ?? []);
      expect(
        warnings.filter(({ code }) => code === 'guessed_output' || code === 'wrong_handle'),
        name,
      ).toEqual([]);
      if (GONE[name]) continue;
      expect(connectionsOf(filled), name).toEqual(expect.arrayContaining(connectionsOf(flow)));
      expect(filled.edges.length, name).toBe(flow.edges.length);
      for (const node of flow.nodes) {
        const now = filled.nodes.find(({ id }) => id === node.id);
        expect(now.type, `${name} ${node.id}`).toBe(node.type);
        expect(valuesOf(now.data.outputs), `${name} ${node.id}`).toMatchObject(valuesOf(node.data.outputs));
        expect(valuesOf(now.data.inputs), `${name} ${node.id}`).toMatchObject(valuesOf(node.data.inputs));
        const { version, inputs = [] } = definitions.get(node.data.name);
        expect(now.data.version).toBe(version);
        const named = [...now.data.inputParams, ...now.data.inputAnchors].map((one: { name: string }) => one.name);
        expect(named, `${name} ${node.id}`).toEqual(expect.arrayContaining(inputs.map((one: { name: string }) => one.name)));
      }
    }
  });
});

test('every fault that is seeded into them is found, and nothing of it is saved', async () => {
  const before = (await suite.real.api.send('GET', '/chatflows')).json.length;
  const missed: string[] = [];
  const seeded: Record<string, number> = {};
  for (const template of templates.filter(({ name }) => !GONE[name])) {
    for (const { kind, code, node, type, flow } of faultsIn(template, definitions)) {
      seeded[kind] = (seeded[kind] ?? 0) + 1;
      const reply = await call('create_chatflow', { name: kind, flow_data: JSON.stringify(flow), type, deployed: true });
      expect(reply.error?.type, `${template.name}: ${kind}`).toBe('ValidationError');
      const found = (reply.error.details.findings as Warning[]).some(
        (one) => one.code === code && one.severity === 'error' && (node === undefined || one.node === node),
      );
      if (!found) missed.push(`${template.name}: ${kind}`);
    }
  }
  expect(missed).toEqual([]);
  expect((await suite.real.api.send('GET', '/chatflows')).json).toHaveLength(before);
  expect(Object.keys(seeded)).toHaveLength(7);
  process.stderr.write(`faults seeded and found: ${JSON.stringify(seeded)}\n`);
});
