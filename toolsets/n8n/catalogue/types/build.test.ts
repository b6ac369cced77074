import { expect, test } from 'vitest';
import { catalogueOf } from './build.ts';
import type { TypeDescription } from './description.ts';
import { resolvePorts } from './node-ports.ts';
import { asVariant, variantsOf } from './tool-variants.ts';

function described(more: Partial<TypeDescription>): TypeDescription {
  return {
    name: 'lamp',
    displayName: 'Lamp',
    description: 'Switches a lamp',
    group: ['output'],
    version: 1,
    defaults: { name: 'Lamp' },
    inputs: ['main'],
    outputs: ['main'],
    properties: [],
    ...more,
  };
}

test('versions of a type become one entry, new nodes get the default version', () => {
  const types = [described({ version: [3, 3.1], defaultVersion: 3 }), described({ version: 1 }), described({ version: 2 })];
  const { index } = catalogueOf([{ package: 'lamps', types }], '1.0.0');
  expect(index.entries).toMatchObject([{ type: 'lamps.lamp', versions: [1, 2, 3, 3.1], newest: 3, trigger: false, subNode: false }]);
});

test('a node usable as a tool has a tool variant, which takes no items and gives ai_tool', () => {
  const lamp = described({ usableAsTool: true, properties: [{ name: 'operation', type: 'options', default: 'on' }] });
  const { index } = catalogueOf([{ package: 'lamps', types: [lamp] }], '1.0.0');
  expect(index.entries.map(({ type, subNode }) => [type, subNode])).toEqual([
    ['lamps.lamp', false],
    ['lamps.lampTool', true],
  ]);
  const tool = asVariant(lamp, 'tool');
  expect(tool.inputs).toEqual([]);
  expect(tool.outputs).toEqual(['ai_tool']);
  expect(tool.properties.map(({ name }) => name)).toEqual(['descriptionType', 'toolDescription', 'operation']);
});

test('a node that can ask a person has a variant that asks before a tool is used', () => {
  const operation = { name: 'operation', type: 'options', default: 'send', options: [{ name: 'Ask', value: 'sendAndWait' }] };
  const mail = described({ webhooks: [{}], properties: [operation] });
  expect(variantsOf(mail)).toEqual(['plain', 'hitl']);
  expect(asVariant(mail, 'hitl').outputs).toMatchObject([{ type: 'ai_tool' }]);
});

test('the parameters that matter come with their values, and no more than can be read', () => {
  const many = Array.from({ length: 50 }, (_, number) => ({ name: `extra${number}`, type: 'string', default: '' }));
  const lamp = described({
    properties: [
      ...many,
      { name: 'url', type: 'string', default: '', required: true },
      { name: 'resource', type: 'options', default: 'bulb', options: [{ value: 'bulb' }, { value: 'strip' }] },
      {
        name: 'operation',
        type: 'options',
        default: 'on',
        options: [{ value: 'on' }, { value: 'off' }],
        displayOptions: { show: { resource: ['bulb'] } },
      },
      { name: 'old', type: 'string', default: '', required: true, displayOptions: { show: { '@version': [{ _cnd: { lt: 1 } }] } } },
      { name: 'hint', type: 'notice', default: '' },
    ],
  });
  const [entry] = catalogueOf([{ package: 'lamps', types: [lamp] }], '1.0.0').index.entries;
  expect(entry?.parameters).toMatchObject({
    resource: 'options: bulb | strip = bulb',
    operation: 'options by resource: bulb: on | off',
    url: 'string, required',
  });
  expect(entry?.parameters).not.toHaveProperty('old');
  expect(entry?.parameters).not.toHaveProperty('hint');
  expect(Object.keys(entry?.parameters ?? {}).length).toBeLessThan(20);
});

test('ports that hang on parameters are calculated, and are uncertain where the parameter is an expression', () => {
  const outputs = '={{ ((p) => Array.from({ length: p.number }, (_, i) => ({ type: "main", displayName: "Out " + i })))($parameter) }}';
  expect(resolvePorts(outputs, { number: 2 }, 1)).toEqual({
    ports: [
      { type: 'main', displayName: 'Out 0' },
      { type: 'main', displayName: 'Out 1' },
    ],
    certain: true,
  });
  expect(resolvePorts(outputs, { number: '={{ 3 }}' }, 1).certain).toBe(false);
  expect(resolvePorts('={{ $nodeVersion > 1 ? ["main", "main"] : ["main"] }}', {}, 2).ports).toHaveLength(2);
});

test('an expression of ports reaches nothing of this process, and cannot make it build without end', () => {
  expect(resolvePorts('={{ [typeof process, typeof require, typeof globalThis.fetch] }}', {}, 1).ports).toEqual([
    'undefined',
    'undefined',
    'undefined',
  ]);
  expect(resolvePorts('={{ Array.from({ length: $parameter.number }, () => "main") }}', { number: 1e9 }, 1).ports).toHaveLength(1000);
  expect(resolvePorts('={{ $parameter.a.b.c }}', {}, 1)).toEqual({ ports: [], certain: false });
  expect(resolvePorts('={{ this is not an expression }}', {}, 1)).toEqual({ ports: [], certain: false });
});
