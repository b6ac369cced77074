import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../test/harness/catalog.ts';
import { sharedPackHome } from '../../../../test/harness/n8n-pack.ts';
import { PackReader } from '../pack/pack-reader.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import { fallibleProperties, relevantProperties } from '../types/relevant-properties.ts';
import { validated } from './validator.ts';

const home = sharedPackHome();

type Node = Record<string, unknown> & { name: string };

function node(
  name: string,
  type: string,
  typeVersion: number,
  parameters: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Node {
  const full = type.includes('.') ? type : `n8n-nodes-base.${type}`;
  return { id: `id of ${name}`, name, type: full, typeVersion, position: [0, 0], parameters, ...more };
}

const to = (name: string, type = 'main', index = 0) => ({ node: name, type, index });

/** A sound workflow with a branch, a loop, an error output and an AI agent: each test breaks one thing. */
function sound() {
  const condition = { id: '1', leftValue: '={{ $json.size }}', rightValue: 3, operator: { type: 'number', operation: 'gt' } };
  const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
  return {
    name: 'Sound',
    nodes: [
      node('Start', 'manualTrigger', 1),
      node('Fetch', 'httpRequest', 4.2, { url: 'http://localhost/x', method: 'POST', options: {} }, { onError: 'continueErrorOutput' }),
      node('If', 'if', 2.2, { conditions: { options, conditions: [condition], combinator: 'and' }, options: {} }),
      node('Loop', 'splitInBatches', 3, { options: {} }),
      node('Agent', '@n8n/n8n-nodes-langchain.agent', 2, { promptType: 'define', text: "={{ $('Fetch').item.json.text }}", options: {} }),
      node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
        model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' },
        options: {},
      }),
      node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1),
      node('Done', 'noOp', 1),
      node('Note', 'stickyNote', 1, { content: '# Note' }),
    ],
    connections: {
      Start: { main: [[to('Fetch')]] },
      Fetch: { main: [[to('If')], [to('Done')]] },
      If: { main: [[to('Loop')], null] },
      Loop: { main: [[to('Done')], [to('Agent')]] },
      Agent: { main: [[to('Loop')]] },
      Model: { ai_languageModel: [[to('Agent', 'ai_languageModel')]] },
      Calculator: { ai_tool: [[to('Agent', 'ai_tool')]] },
    } as Record<string, Record<string, unknown>>,
    settings: { executionOrder: 'v1' },
  };
}

type Sound = ReturnType<typeof sound>;

const byName = (workflow: Sound, name: string) => workflow.nodes.find((found) => found.name === name) as Node;
const parameters = (workflow: Sound, name: string) => byName(workflow, name)['parameters'] as Record<string, unknown>;

describe.skipIf(!home)('with the engine pack', () => {
  async function pack(): Promise<OpenedPack> {
    const reader = new PackReader({ home: home as string, log: silentLog });
    onTestFinished(() => reader.close());
    return (await reader.open()) as OpenedPack;
  }

  test('a sound workflow has no errors', async () => {
    const { valid, errors, warnings } = validated(await pack(), sound());
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['credentials_missing']);
  });

  const faults: [code: string, breaks: (workflow: Sound) => void, node?: string][] = [
    ['unknown_type', (workflow) => Object.assign(byName(workflow, 'Done'), { type: 'n8n-nodes-base.noOpp' }), 'Done'],
    ['unknown_type', (workflow) => Object.assign(byName(workflow, 'Done'), { type: 'noOp' }), 'Done'],
    ['unknown_version', (workflow) => Object.assign(byName(workflow, 'Fetch'), { typeVersion: 99 }), 'Fetch'],
    ['unknown_parameter', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { metod: 'GET' }), 'Fetch'],
    ['unknown_type', (workflow) => Object.assign(byName(workflow, 'Done'), { type: 'n8n-node-base.noOp' }), 'Done'],
    ['unknown_type', (workflow) => Object.assign(byName(workflow, 'Done'), { type: 'made-up.noOp' }), 'Done'],
    ['invalid_value', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { options: 'none' }), 'Fetch'],
    ['invalid_value', (workflow) => Object.assign(parameters(workflow, 'Fetch'), headers('X: 1')), 'Fetch'],
    ['invalid_value', (workflow) => Object.assign(parameters(workflow, 'Fetch'), headers({ parameters: { name: 'X' } })), 'Fetch'],
    ['unknown_parameter', (workflow) => Object.assign(parameters(workflow, 'Fetch'), headers({ params: [] })), 'Fetch'],
    ['invalid_option', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { method: 'FETCH' }), 'Fetch'],
    ['required_parameter', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { url: '' }), 'Fetch'],
    ['invalid_operator', (workflow) => breakOperator(workflow), 'If'],
    ['duplicate_name', (workflow) => Object.assign(byName(workflow, 'Done'), { name: 'If' }), 'If'],
    ['duplicate_id', (workflow) => Object.assign(byName(workflow, 'Done'), { id: 'id of If' }), 'Done'],
    ['position_invalid', (workflow) => Object.assign(byName(workflow, 'Done'), { position: { x: 1, y: 2 } }), 'Done'],
    ['unknown_target', (workflow) => Object.assign(workflow.connections, { Start: { main: [[to('Nobody')]] } }), 'Start'],
    ['unknown_target', (workflow) => Object.assign(workflow.connections, { Start: { main: [[to('id of Fetch')]] } }), 'Start'],
    ['unknown_source', (workflow) => Object.assign(workflow.connections, { Nobody: { main: [[to('Done')]] } })],
    ['connection_broken', (workflow) => Object.assign(workflow.connections, { Start: { main: [to('Fetch')] } }), 'Start'],
    ['unknown_output', (workflow) => Object.assign(workflow.connections, { If: { main: [[], [], [to('Done')]] } }), 'If'],
    ['unknown_output', (workflow) => Object.assign(byName(workflow, 'Fetch'), { onError: 'stopWorkflow' }), 'Fetch'],
    ['unknown_input', (workflow) => Object.assign(workflow.connections, { Start: { main: [[to('Fetch', 'main', 1)]] } }), 'Fetch'],
    ['unknown_input', (workflow) => Object.assign(workflow.connections, { Calculator: { ai_tool: [[to('Done', 'ai_tool')]] } }), 'Done'],
    ['unknown_input', (workflow) => Object.assign(workflow.connections, { Done: { main: [[to('Note')]] } }), 'Note'],
    [
      'mistyped_connection',
      (workflow) => Object.assign(workflow.connections, { Model: { ai_languageModel: [[to('Agent', 'main')]] } }),
      'Model',
    ],
    ['required_input', (workflow) => delete workflow.connections['Model'], 'Agent'],
    ['required_input', (workflow) => Object.assign(byName(workflow, 'Model'), { disabled: true }), 'Agent'],
    ['too_many_inputs', (workflow) => addModel(workflow), 'Agent'],
    ['nodes_missing', (workflow) => Object.assign(workflow, { nodes: {} })],
    ['connections_missing', (workflow) => Object.assign(workflow, { connections: [] })],
  ];

  test.each(faults)('%s is an error (%#)', async (code, breaks, name) => {
    const workflow = sound();
    breaks(workflow);
    const { valid, errors } = validated(await pack(), workflow);
    expect(valid).toBe(false);
    const found = errors.find((error) => error.code === code && (name === undefined || error.node === name));
    expect(found, JSON.stringify(errors)).toBeDefined();
    expect(found?.message).not.toBe('');
    expect(found?.fix).not.toBe('');
  });

  test('what was found about a node is found again where it stands now', async () => {
    const opened = await pack();
    const workflow = sound();
    Object.assign(parameters(workflow, 'Fetch'), { method: 'FETCH' });
    const before = validated(opened, workflow);
    workflow.nodes.reverse();
    const after = validated(opened, workflow);
    expect(before.errors.map(({ path }) => path)).toEqual(['nodes[1].parameters.method']);
    expect(after.errors.map(({ path }) => path)).toEqual(['nodes[7].parameters.method']);
    Object.assign(parameters(workflow, 'Fetch'), { method: 'GET' });
    expect(validated(opened, workflow).errors).toEqual([]);
  });

  test.each([
    '={{ $json["a b"].c }}',
    "=Hi {{ $('Fetch').first().json.name }}, {{ $now.toISO() }}",
    '={{ { a: 1 } }}',
    '={{ $json.a; }}',
    '={{ $json.list.map((x) => { return x.a ?? 1 }).join("\\n") }}',
    '={{ [...$json.list, { a: 1 }] }}',
    '={{ $json.a',
    '=\\{{ not code }}',
    '=plain',
  ])('n8n can read %s', async (text) => {
    const workflow = sound();
    Object.assign(parameters(workflow, 'Agent'), { text });
    const { warnings } = validated(await pack(), workflow);
    expect(warnings.map(({ code }) => code)).toEqual(['credentials_missing']);
  });

  test('more findings than anybody reads are counted', async () => {
    const workflow = sound();
    const extra = Array.from({ length: 600 }, (_, index) => node(`Extra ${index}`, 'noOp', 1, { nonsense: 1 }));
    workflow.nodes.push(...extra);
    const { errors } = validated(await pack(), workflow);
    expect(errors).toHaveLength(501);
    expect(errors.at(-1)).toMatchObject({ code: 'more', message: '100 more errors are not listed' });
  });

  test('where nothing starts a workflow, nodes that stand apart are still named', async () => {
    const workflow = sound();
    Object.assign(byName(workflow, 'Start'), { disabled: true });
    workflow.nodes.push(node('Alone', 'noOp', 1));
    const { warnings } = validated(await pack(), workflow);
    expect(warnings.filter(({ code }) => code === 'unreachable').map((warning) => warning.node)).toEqual(['Alone']);
  });

  const remarks: [code: string, changes: (workflow: Sound) => void][] = [
    ['no_trigger', (workflow) => Object.assign(byName(workflow, 'Start'), { disabled: true })],
    ['unreachable', (workflow) => workflow.nodes.push(node('Alone', 'noOp', 1))],
    ['unknown_reference', (workflow) => Object.assign(parameters(workflow, 'Agent'), { text: "={{ $('Fetsh').item.json.x }}" })],
    ['community_node', (workflow) => Object.assign(byName(workflow, 'Done'), { type: 'n8n-nodes-somebody.thing', typeVersion: 1 })],
    ['endless_loop', (workflow) => addCircle(workflow)],
    ['unknown_input', (workflow) => addParser(workflow)],
    ['unknown_parameter', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { requestOptions: {} })],
    ['unknown_parameter', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { options: { timout: 5 } })],
    ['invalid_expression', (workflow) => Object.assign(parameters(workflow, 'Agent'), { text: '={{ $json.a + + }}' })],
    ['not_an_expression', (workflow) => Object.assign(parameters(workflow, 'Fetch'), { url: 'http://localhost/{{ $json.id }}' })],
    ['invalid_json', (workflow) => Object.assign(parameters(workflow, 'Fetch'), body('{ "a": '))],
    [
      'required_parameter',
      (workflow) => Object.assign(parameters(workflow, 'Fetch'), { authentication: 'genericCredentialType', genericAuthType: '' }),
    ],
    ['invalid_operator', (workflow) => addHarmlessOperator(workflow)],
  ];

  test.each(remarks)('%s is only a warning', async (code, changes) => {
    const workflow = sound();
    changes(workflow);
    const { valid, errors, warnings } = validated(await pack(), workflow);
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
    expect(warnings.map((warning) => warning.code)).toContain(code);
  });

  test.each([
    [
      'an expression in place of an option',
      (workflow: Sound) => Object.assign(parameters(workflow, 'Fetch'), { method: '={{ $json.method }}' }),
    ],
    ['a fault in a node that is switched off', (workflow: Sound) => breakDisabled(workflow)],
    [
      'an older version',
      (workflow: Sound) => workflow.nodes.push(node('Old', 'set', 1, { values: { string: [{ name: 'a', value: 'b' }] } })),
    ],
    ['a node without an id', (workflow: Sound) => delete byName(workflow, 'Done')['id']],
    ['a tool variant', (workflow: Sound) => addTool(workflow)],
    ['a custom API call', (workflow: Sound) => workflow.nodes.push(node('Api', 'slack', 2.3, { resource: '__CUSTOM_API_CALL__' }))],
  ])('%s is not an error', async (_what, changes) => {
    const workflow = sound();
    changes(workflow);
    expect(validated(await pack(), workflow).errors).toEqual([]);
  });

  test('findings say where and what to do', async () => {
    const workflow = sound();
    parameters(workflow, 'Fetch')['method'] = 'PSOT';
    expect(validated(await pack(), workflow).errors).toEqual([
      {
        code: 'invalid_option',
        node: 'Fetch',
        path: 'nodes[1].parameters.method',
        message: '"PSOT" is none of the values of method',
        fix: expect.stringContaining('Use POST'),
      },
    ]);
  });

  test('nothing that is JSON makes it fail', async () => {
    const opened = await pack();
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.constantFrom('nodes', 'connections', 'parameters', 'type', 'typeVersion', 'all'),
        (value, where) => {
          const workflow: unknown = where === 'all' ? value : misplaced(value, where);
          const { valid, errors } = validated(opened, workflow);
          expect(valid).toBe(errors.length === 0);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the parameters that are looked at give the same findings as all of them', async () => {
    const opened = await pack();
    const large = opened.types.entries.filter(({ type }) => (opened.types.get(type)?.description.properties.length ?? 0) > 12);
    fc.assert(
      fc.property(fc.nat({ max: large.length - 1 }), fc.infiniteStream(fc.nat({ max: 1000 })), fc.nat({ max: 6 }), (at, numbers, many) => {
        const entry = large[at];
        const found = entry && opened.types.get(entry.type);
        if (!entry || !found) return;
        const { properties } = found.description;
        const next = (below: number) => (numbers.next().value as number) % Math.max(1, below);
        const parameters: Record<string, unknown> = {};
        for (const name of [
          'resource',
          'operation',
          ...Array.from({ length: many }, () => properties[next(properties.length)]?.name ?? ''),
        ]) {
          const values = properties.filter((property) => property.name === name).flatMap((property) => property.options ?? []);
          const option = values[next(values.length + 1)];
          if (option && 'value' in option) parameters[name] = option.value;
          else if (next(3) === 0 && name !== '') parameters[name] = ['', 'text', '={{ 1 }}', true, 5][next(5)];
        }
        const ruled = { name: 'One', type: entry.type, typeVersion: entry.newest, parameters };
        const few = relevantProperties(found.description, entry.newest, parameters);
        const issues = (of: typeof few) => opened.rules.getNodeParametersIssues(of, ruled, found.description);
        expect(issues(few)).toEqual(issues(properties));
        expect(issues(fallibleProperties(few))).toEqual(issues(properties));
      }),
      { numRuns: 400 },
    );
  });

  test('a random parameter in place of a real one is never a crash', async () => {
    const opened = await pack();
    const types = opened.types.entries;
    fc.assert(
      fc.property(fc.nat({ max: types.length - 1 }), fc.jsonValue({ maxDepth: 3 }), fc.nat(), (at, value, pick) => {
        const entry = types[at];
        const properties = entry ? (opened.types.get(entry.type)?.description.properties ?? []) : [];
        const property = properties[pick % Math.max(1, properties.length)];
        const workflow = {
          nodes: [
            {
              name: 'One',
              type: entry?.type,
              typeVersion: entry?.newest,
              position: [0, 0],
              parameters: property ? { [property.name]: value } : {},
            },
          ],
          connections: {},
        };
        validated(opened, workflow);
      }),
      { numRuns: 300 },
    );
  });
});

function misplaced(value: unknown, where: string): unknown {
  const workflow = sound();
  if (where === 'nodes' || where === 'connections') return { ...workflow, [where]: value };
  Object.assign(byName(workflow, 'Fetch'), { [where]: value });
  return workflow;
}

function breakOperator(workflow: Sound): void {
  const { conditions } = parameters(workflow, 'If')['conditions'] as { conditions: { operator: unknown }[] };
  for (const condition of conditions) condition.operator = { type: 'number', operation: 'larger' };
}

/** One that n8n does not know, beside one that is enough. */
function addHarmlessOperator(workflow: Sound): void {
  const filter = parameters(workflow, 'If')['conditions'] as { combinator: string; conditions: object[] };
  filter.combinator = 'or';
  filter.conditions.push({ id: '2', leftValue: 'a', rightValue: 'a', operator: { type: 'string', operation: 'equal' } });
}

const headers = (headerParameters: unknown) => ({ sendHeaders: true, headerParameters });

const body = (jsonBody: string) => ({ sendBody: true, specifyBody: 'json', jsonBody });

function addModel(workflow: Sound): void {
  workflow.nodes.push(node('Other model', '@n8n/n8n-nodes-langchain.lmChatOllama', 1, { model: 'llama3.2', options: {} }));
  workflow.connections['Other model'] = { ai_languageModel: [[to('Agent', 'ai_languageModel')]] };
}

function addCircle(workflow: Sound): void {
  workflow.nodes.push(node('Round', 'noOp', 1), node('And round', 'noOp', 1));
  Object.assign(workflow.connections, {
    Done: { main: [[to('Round')]] },
    Round: { main: [[to('And round')]] },
    'And round': { main: [[to('Round')]] },
  });
}

/** n8n ignores a parser that the agent is not told to use. */
function addParser(workflow: Sound): void {
  workflow.nodes.push(node('Parser', '@n8n/n8n-nodes-langchain.outputParserStructured', 1.2, { jsonSchemaExample: '{"a": 1}' }));
  Object.assign(workflow.connections, { Parser: { ai_outputParser: [[to('Agent', 'ai_outputParser')]] } });
}

function breakDisabled(workflow: Sound): void {
  Object.assign(byName(workflow, 'Fetch'), { disabled: true });
  Object.assign(parameters(workflow, 'Fetch'), { url: '', method: 'FETCH' });
}

function addTool(workflow: Sound): void {
  workflow.nodes.push(node('Request', 'httpRequestTool', 4.2, { url: 'http://localhost', options: {} }));
  Object.assign(workflow.connections, { Request: { ai_tool: [[to('Agent', 'ai_tool')]] } });
}
